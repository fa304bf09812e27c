// A bar of 100 x 20 x 20, drawn in millimetres: gmsh -3 bar.geo -o bar.msh
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 100, 20, 20};
Physical Surface("clamped", 1) = Surface In BoundingBox {-1, -1, -1, 1, 21, 21};
Physical Surface("pulled", 2) = Surface In BoundingBox {99, -1, -1, 101, 21, 21};
Physical Volume("bar", 3) = {1};
Mesh.MeshSizeMin = 10;
Mesh.MeshSizeMax = 10;
