// Controls around K3D's canvas. K3DInstance is K3D's own object; html.py puts the data in place of the braces below.
const page = {{data}};

function element(parent, tag, attributes = {}, text = "") {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent.append(made);
  return made;
}

const style = document.createElement("style");
style.textContent = page.css;
document.head.querySelectorAll("style").forEach((old) => old.textContent.includes("canvasTarget") && old.remove());
document.head.append(style);

const canvasTarget = document.getElementById("canvasTarget");
const header = element(document.body, "header");
element(header, "h1", {}, page.title);
element(header, "div", { class: "facts" }, page.facts);
const view = element(document.body, "div", { class: "view" });
view.append(canvasTarget);

const legend = element(view, "div", { class: "legend" });
for (const entry of page.legend) {
  const line = element(legend, "div");
  element(line, "span", entry.colour ? {} : { class: "lines" }).style.background = entry.colour;
  line.append(entry.name);
}

// The nearest multiple of `step` with the digits that it takes, and no more.
function digits(value, step) {
  if (Math.abs(value) < 1e-6 * step) return "0";
  if (Math.abs(value) >= 1e6 || step < 1e-5) return value.toExponential(1).replace("e+", "e");
  return (Math.round(value / step) * step).toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-6)));
}

if (page.bar) {
  const bar = element(view, "div", { class: "bar" });
  element(bar, "b", {}, page.bar.title);
  const scale = element(bar, "div", { class: "scale" });
  const labels = element(scale, "div", { class: "labels" });
  const wide = page.bar.high - page.bar.low;
  for (let k = 4; k >= 0; k -= 1) {
    element(labels, "div", {}, digits(page.bar.low + wide * k / 4, 10 ** Math.floor(Math.log10(wide) - 2)));
  }
  const strip = element(scale, "div", { class: "strip" });
  strip.style.background = `linear-gradient(to top, ${page.bar.colours.join(", ")})`;
}

// --- Time ---------------------------------------------------------------------------------------------------------
const times = page.times;
const last = times.length - 1;
const span = times[last] - times[0];
const controls = element(document.body, "div", { class: "controls" });
const button = element(controls, "button", { id: "play", type: "button", title: "space bar" }, "\u25b6 Play");
const slider = element(controls, "input", {
  id: "slider", type: "range", min: 0, max: last, step: 1, value: 0, "aria-label": "frame",
});
const clock = element(controls, "div", { class: "time", id: "time" });
const speeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const speedLabel = element(controls, "label", {}, "speed ");
const speed = element(speedLabel, "select", { id: "speed" });
for (const value of speeds) element(speed, "option", { value }, `${value} \u00d7`);
// Real time, unless that is over in a moment or takes minutes.
speed.value = speeds.reduce((best, value) => {
  const off = (v) => Math.max(1.5 / (span / v || 1.5), (span / v || 1.5) / 30, 1) + 1e-3 * Math.abs(Math.log(v));
  return off(value) < off(best) ? value : best;
}, 1);

const decimals = Math.max(2, Math.ceil(-Math.log10(span / last || 1)) + 1);
let shown = 0;
let pending = Promise.resolve();
function show(k) {
  shown = Math.max(0, Math.min(last, k));
  slider.value = shown;
  clock.textContent = `t = ${times[shown].toFixed(decimals)} s \u00b7 frame ${page.numbers[shown]}`;
  drawEnergy();
  pending = K3DInstance.setTime(times[shown]);
  return pending;
}
function nearest(time) {
  let best = 0;
  times.forEach((t, k) => { if (Math.abs(t - time) < Math.abs(times[best] - time)) best = k; });
  return best;
}

let playing = false;
let begun = 0;
let from = 0;
function tick(now) {
  if (!playing) return;
  const time = from + (now - begun) / 1000 * Number(speed.value);
  if (time > times[last] + 0.5 * span / Math.max(last, 1)) {
    begun = now;
    from = times[0];
  }
  const k = nearest(time);
  if (k !== shown) show(k).then(() => requestAnimationFrame(tick));
  else requestAnimationFrame(tick);
}
function play(on) {
  playing = on;
  button.textContent = on ? "\u275a\u275a Pause" : "\u25b6 Play";
  if (!on) return;
  begun = performance.now();
  from = shown === last ? times[0] : times[shown];
  requestAnimationFrame(tick);
}
button.addEventListener("click", () => play(!playing));
speed.addEventListener("change", () => playing && play(true));
slider.addEventListener("input", () => { play(false); show(Number(slider.value)); });
document.addEventListener("keydown", (event) => {
  if (["INPUT", "SELECT", "BUTTON"].includes(event.target.tagName)) return;
  if (event.key === " ") play(!playing);
  else if (event.key === "ArrowRight") { play(false); show(shown + 1); }
  else if (event.key === "ArrowLeft") { play(false); show(shown - 1); }
  else return;
  event.preventDefault();
});
if (last === 0) { button.disabled = true; slider.disabled = true; }

// --- Switches -----------------------------------------------------------------------------------------------------
const objects = Object.values(K3DInstance.getWorld().ObjectsListJson);
function addSwitch(label, id, on, change) {
  const made = element(controls, "label");
  const box = element(made, "input", { type: "checkbox", id });
  box.checked = on;
  made.append(label);
  box.addEventListener("change", () => change(box.checked));
  return made;
}
function setVisible(object, on) {
  object.visible = on;
  K3DInstance.reload(object, { visible: on });
}
for (const arrows of page.arrows) {
  const object = objects.find((o) => o.name === arrows.name);
  const id = `show-${arrows.name.split(" ")[0]}`;
  const made = addSwitch(arrows.name, id, arrows.shown, (on) => setVisible(object, on));
  made.style.color = arrows.colour;
}
if (page.arrows.length) element(controls, "span", { class: "note" }, `longest arrow: ${page.longest}`);
const bodies = objects.filter((o) => o.name === (page.bar ? page.bar.title : "bodies"));
if (page.arrows.length && bodies.length) {
  addSwitch("see through", "see-through", false, (on) => bodies.forEach((object) => {
    object.opacity = on ? 0.4 : 1;
    K3DInstance.reload(object, { opacity: object.opacity });
  }));
}

// --- Energy -------------------------------------------------------------------------------------------------------
const energy = page.energy;
const strokes = { kinetic: "#1f77b4", elastic: "#d9822b", "gravity (from its start)": "#3a9e5c", total: "#2b3036" };
const margin = { left: 78, right: 20, top: 24, bottom: 34 };
let canvas = null;
let axes = null;
if (energy) {
  canvas = element(element(document.body, "div", { class: "energy" }), "canvas", { id: "energy" });
  const values = Object.values(energy.curves).flat().filter((v) => v !== null);
  let low = Math.min(0, ...values);
  let high = Math.max(0, ...values);
  if (low === high) high = low + 1;
  axes = { t0: Math.min(times[0], energy.t[0]), t1: Math.max(times[last], energy.t[energy.t.length - 1]), low, high };
  if (axes.t0 === axes.t1) axes.t1 += 1;
  const seek = (event) => {
    const across = event.offsetX - margin.left;
    const width = canvas.clientWidth - margin.left - margin.right;
    play(false);
    show(nearest(axes.t0 + (axes.t1 - axes.t0) * across / width));
  };
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); seek(event); });
  canvas.addEventListener("pointermove", (event) => event.buttons && seek(event));
  new ResizeObserver(drawEnergy).observe(canvas);
}

function ticks(low, high, count) {
  const aim = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(aim));
  const step = power * [1, 2, 5, 10].find((s) => s * power >= aim * 0.999);
  const made = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k += 1) made.push(k * step);
  return { at: made, step };
}

function drawEnergy() {
  if (!canvas) return;
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const c = canvas.getContext("2d");
  c.scale(ratio, ratio);
  c.font = "12px system-ui, 'Segoe UI', Arial, sans-serif";
  const x = (t) => margin.left + (t - axes.t0) / (axes.t1 - axes.t0) * (width - margin.left - margin.right);
  const tall = height - margin.top - margin.bottom;
  const y = (e) => height - margin.bottom - (e - axes.low) / (axes.high - axes.low) * tall;
  c.lineWidth = 1;
  c.textBaseline = "middle";
  const levels = ticks(axes.low, axes.high, 5);
  for (const e of levels.at) {
    c.strokeStyle = Math.abs(e) < 1e-9 * levels.step ? "#b9c0c9" : "#eceff2";
    c.beginPath(); c.moveTo(margin.left, y(e)); c.lineTo(width - margin.right, y(e)); c.stroke();
    c.fillStyle = "#6a727c"; c.textAlign = "right";
    c.fillText(digits(e, levels.step), margin.left - 7, y(e));
  }
  const moments = ticks(axes.t0, axes.t1, Math.max(2, width / 120));
  c.textAlign = "center";
  for (const t of moments.at) {
    c.fillText(digits(t, moments.step), x(t), height - margin.bottom + 11);
  }
  c.textAlign = "right";
  c.fillText("time (s)", width - margin.right, height - 8);
  c.save();
  c.translate(13, (margin.top + height - margin.bottom) / 2);
  c.rotate(-Math.PI / 2);
  c.textAlign = "center";
  c.fillText("energy (J)", 0, 0);
  c.restore();
  let right = margin.left;
  for (const [name, curve] of Object.entries(energy.curves)) {
    c.strokeStyle = strokes[name];
    c.lineWidth = name === "total" ? 1.2 : 1.8;
    c.beginPath();
    curve.forEach((e, k) => { if (e !== null) c.lineTo(x(energy.t[k]), y(e)); });
    c.stroke();
    c.fillStyle = strokes[name];
    c.textAlign = "left";
    c.fillRect(right, 11, 14, 3);
    c.fillText(name, right + 19, 12);
    right += 19 + c.measureText(name).width + 20;
  }
  c.strokeStyle = "#c1272d";
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(x(times[shown]), margin.top - 4);
  c.lineTo(x(times[shown]), height - margin.bottom);
  c.stroke();
}

window.stictionPage = { show, play, frame: () => shown, ready: () => pending };
K3DInstance.resizeHelper();
show(0);
