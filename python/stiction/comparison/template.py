"""HTML, styles and script of the page of a comparison; `@name@` stands for what compare_page puts in."""

TEMPLATE = r"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@title@</title>
<style>
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #20262c;
  background: #f4f6f8; }
header, main { max-width: 1500px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 22px; padding-bottom: 8px; }
h1 { font-size: 23px; font-weight: 650; margin: 0; }
header p { margin: 2px 0 0; color: #66707a; }
section { margin: 14px 0 22px; }
h3 { font-size: 16px; margin: 26px 0 8px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(330px, 1fr)); gap: 14px; }
article, .plot, .table { background: #fff; border: 1px solid #dde2e7; border-radius: 8px; overflow: hidden;
  margin: 0; }
article h2 { font-size: 15px; font-weight: 600; margin: 0; padding: 9px 12px; display: flex;
  align-items: center; gap: 8px; }
article img { display: block; width: 100%; aspect-ratio: 4 / 3; object-fit: contain; background: #eef1f5; }
article .none { margin: 0; padding: 24px 14px; color: #9b3a2f; overflow-wrap: anywhere;
  border-top: 1px solid #dde2e7; min-height: 120px; }
b { display: inline-block; width: 12px; height: 12px; border-radius: 3px; flex: none; }
.wall { margin-left: auto; color: #66707a; font-weight: 400; font-variant-numeric: tabular-nums; }
.badge { font-size: 12px; font-weight: 500; padding: 0 8px; border-radius: 9px; line-height: 19px;
  white-space: nowrap; }
.good { color: #1d6b42; background: #ddf1e5; }
.found { color: #7b5a05; background: #fbefc9; }
.bad { color: #94291d; background: #fae0dc; }
.bar { position: sticky; top: 0; z-index: 2; display: flex; gap: 14px; align-items: center; padding: 9px 14px;
  margin: 12px 0;
  background: #ffffffee; border: 1px solid #dde2e7; border-radius: 8px; }
.bar input { flex: 1; accent-color: #2f6fb7; }
.bar output { min-width: 92px; font-variant-numeric: tabular-nums; }
button, select { font: inherit; padding: 3px 14px; border: 1px solid #c3cad2; border-radius: 6px; background: #fff;
  cursor: pointer; }
.legend { font-weight: 400; font-size: 14px; margin-left: 14px; }
.legend span { margin-right: 16px; cursor: default; }
.legend b { margin-right: 6px; vertical-align: -1px; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(400px, 1fr)); gap: 14px; }
.plot { position: relative; cursor: crosshair; }
.plot svg { display: block; width: 100%; height: auto; }
.plot text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif !important; }
.plot i { position: absolute; top: 13%; bottom: 15%; width: 1px; background: #20262c99; pointer-events: none; }
.dim .line { opacity: .12; }
.dim .line.on { opacity: 1; }
.line.on path { stroke-width: 2.4px !important; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 10px; text-align: right; border-bottom: 1px solid #e8ecf0; white-space: nowrap; }
thead th { color: #58616b; font-weight: 500; vertical-align: bottom; white-space: normal; font-size: 13px; }
tbody th { text-align: left; font-weight: 600; }
tbody th b { margin-right: 8px; vertical-align: -1px; }
td.l, thead th.l { text-align: left; }
td.why { white-space: normal; overflow-wrap: anywhere; min-width: 150px; }
tbody tr:last-child > * { border-bottom: 0; }
tbody tr:hover { background: #f2f6fa; }
footer { color: #66707a; font-size: 13px; padding: 4px 0 30px; }
</style>
</head>
<body>
<header><h1>@title@</h1><p>@about@</p></header>
<main>
<div class="bar"><button id="play">Play</button><input id="time" type="range" min="0" value="0" aria-label="time">
<output id="now"></output><select id="speed" aria-label="speed"><option value="0.1">0.1 x</option>
<option value="0.25">0.25 x</option>
<option value="1" selected>real time</option><option value="4">4 x</option></select></div>
<div class="cards">
@cards@
</div>
<h3>Over simulated time (s) <span class="legend">@legend@</span></h3>
<div class="plots">
@plots@
</div>
<h3>Results</h3>
<div class="table"><table><thead>
<tr><th class="l">case</th><th class="l">status</th>@head@<th class="l">audit</th></tr></thead>
<tbody>
@rows@
</tbody></table></div>
<footer>Space plays and stops, arrow keys step. Point at a case to single out its lines;
click a plot to go to a time.</footer>
</main>
<script id="data" type="application/json">@data@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const slider = document.getElementById("time"), play = document.getElementById("play");
const now = document.getElementById("now");
const images = data.cases.map((c, i) => document.querySelector(`article[data-case="${i}"] img`));
const cursors = [...document.querySelectorAll(".plot i")];
const last = Math.max(data.times.length - 1, 0);
slider.max = last;
let index = 0, playing = false, started = 0, from = 0;

function frameAt(times, t) {
  let k = 0;
  while (k + 1 < times.length && times[k + 1] <= t + 1e-12) ++k;
  return k;
}
function indexAt(t) { return frameAt(data.times, t); }
function show(k) {
  index = Math.min(Math.max(k, 0), last);
  const t = data.times[index] ?? 0;
  slider.value = index;
  now.textContent = `t = ${t.toPrecision(3)} s`;
  data.cases.forEach((c, i) => { if (images[i] && c.times.length) images[i].src = c.pictures[frameAt(c.times, t)]; });
  const at = data.left + (data.right - data.left) * (data.end > 0 ? t / data.end : 0);
  cursors.forEach(line => { line.style.left = `${100 * at}%`; });
}
function stop() { playing = false; play.textContent = "Play"; }
function tick(stamp) {
  if (!playing) return;
  const t = from + (stamp - started) / 1000 * document.getElementById("speed").value;
  show(indexAt(t));
  if (t >= data.times[last]) stop(); else requestAnimationFrame(tick);
}
function toggle() {
  if (playing || !last) { stop(); return; }
  playing = true;
  play.textContent = "Stop";
  from = index === last ? 0 : data.times[index];
  requestAnimationFrame(stamp => { started = stamp; tick(stamp); });
}
play.onclick = toggle;
slider.oninput = () => { stop(); show(+slider.value); };
document.getElementById("speed").onchange = stop;
document.addEventListener("keydown", event => {
  if (event.target.tagName === "SELECT") return;
  const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
  if (step) { stop(); show(index + step); event.preventDefault(); }
  if (event.key === " ") { toggle(); event.preventDefault(); }
});
document.querySelectorAll(".plot").forEach(plot => plot.onclick = event => {
  const box = plot.getBoundingClientRect(), x = (event.clientX - box.left) / box.width;
  stop();
  show(indexAt((x - data.left) / (data.right - data.left) * data.end));
});
document.querySelectorAll("[data-case]:not(.line)").forEach(part => {
  part.onmouseenter = () => {
    document.body.classList.add("dim");
    document.querySelectorAll(`.line[data-case="${part.dataset.case}"]`).forEach(line => line.classList.add("on"));
  };
  part.onmouseleave = () => {
    document.body.classList.remove("dim");
    document.querySelectorAll(".line.on").forEach(line => line.classList.remove("on"));
  };
});
const asked = /^#t=([0-9.eE+-]+)$/.exec(location.hash);
show(asked ? indexAt(+asked[1]) : last);
</script>
</body>
</html>
"""
