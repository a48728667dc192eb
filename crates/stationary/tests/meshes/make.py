#!/usr/bin/env python3
"""Writes one small mesh, two ten-node tetrahedra on a common face, in every format that we read."""

import base64
import itertools
import struct
import zlib

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]  # of a tetrahedron, in our order
points, index = [tuple(map(float, c)) for c in CORNERS], {}


def middle(a, b):
    key = frozenset((a, b))
    if key not in index:
        index[key] = len(points)
        points.append(tuple((p + q) / 2 for p, q in zip(points[a], points[b])))
    return index[key]


tetrahedra = [c + [middle(c[a], c[b]) for a, b in EDGES] for c in ([0, 1, 2, 3], [1, 2, 3, 4])]
triangle = [0, 2, 1, middle(0, 2), middle(2, 1), middle(1, 0)]
# Kind, number, nodes, entity, groups.
cells = [
    ("point", 101, [4], 9, ["tip"]),
    ("triangle", 102, triangle, 5, ["clamp", "7"]),
    ("tetrahedron", 103, tetrahedra[0], 1, ["body"]),
    ("tetrahedron", 104, tetrahedra[1], 2, ["body", "upper half"]),
]
DIMENSION = {"point": 0, "triangle": 2, "tetrahedron": 3}
GMSH = {"point": 15, "triangle": 9, "tetrahedron": 11}
VTK = {"point": 1, "triangle": 22, "tetrahedron": 24}
PHYSICAL = {"tip": 4, "clamp": 3, "7": 7, "body": 1, "upper half": 2}
NAMES = [(0, "tip"), (2, "clamp"), (3, "body"), (3, "upper half")]


def node(a):  # numbers in the file: neither from 1 nor without gaps
    return 10 + 2 * a


def gmsh_nodes(kind, nodes):
    nodes = [node(a) for a in nodes]
    if kind == "tetrahedron":
        nodes[8], nodes[9] = nodes[9], nodes[8]
    return nodes


class Out:
    """Numbers as text or binary. `i`: int, `n`: size, `d`: double."""

    def __init__(self, order, small=False):
        self.order, self.small, self.data = order, small, b""

    def text(self, s):
        self.data += s.encode()

    def put(self, form, *values, last=True):
        if self.order is None:
            words = [repr(v).removesuffix(".0") for v in values]
            self.text(" ".join(words) + ("\n" if last else " "))
        else:
            form = form.replace("n", "i" if self.small else "Q")
            self.data += struct.pack(self.order + form, *values)

    def end(self):
        if self.order is not None:
            self.text("\n")


def head(out, version):
    out.text(f"$MeshFormat\n{version} {0 if out.order is None else 1} 8\n")
    if out.order is not None:
        out.put("i", 1)
        out.end()
    names = "".join(f'{d} {PHYSICAL[n]} "{n}"\n' for d, n in NAMES)
    out.text(f"$EndMeshFormat\n$PhysicalNames\n{len(NAMES)}\n{names}$EndPhysicalNames\n")


def msh41(order):
    out = Out(order)
    head(out, "4.1")
    out.text("$Entities\n")
    out.put("nnnn", 1, 0, 1, 2)
    for kind, _, _, entity, groups in cells:
        tags = [PHYSICAL[g] for g in groups]
        box = [0.0] * 3 if kind == "point" else [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
        out.put("i" + "d" * len(box) + "n" + "i" * len(tags), entity, *box, len(tags), *tags, last=kind == "point")
        if kind != "point":
            out.put("n", 0)
    out.end()
    out.text("$EndEntities\n$Nodes\n")
    # Two blocks, the second with parameters on a surface.
    first, second = list(range(8)), list(range(8, len(points)))
    out.put("nnnn", 2, len(points), node(0), node(len(points) - 1))
    for block, (dimension, entity, parametric) in ((first, (3, 1, 0)), (second, (2, 5, 1))):
        out.put("iiin", dimension, entity, parametric, len(block))
        for a in block:
            out.put("n", node(a))
        for a in block:
            x = points[a] + ((0.25, 0.5) if parametric else ())
            out.put("d" * len(x), *x)
    out.end()
    out.text("$EndNodes\n$Elements\n")
    out.put("nnnn", len(cells), len(cells), 101, 104)
    for kind, number, nodes, entity, _ in cells:
        out.put("iiin", DIMENSION[kind], entity, GMSH[kind], 1)
        out.put("n" * (1 + len(nodes)), number, *gmsh_nodes(kind, nodes))
    out.end()
    out.text("$EndElements\n")
    return out.data


def msh22(order):
    out = Out(order, small=True)
    head(out, "2.2")
    out.text(f"$Nodes\n{len(points)}\n")
    for a, x in enumerate(points):
        out.put("nddd", node(a), *x)
    out.end()
    # Once for each group that an element is in, with new numbers for the copies.
    rows = [(c, g, c[1] + 100 * i) for c in cells for i, g in enumerate(c[4])]
    out.text(f"$EndNodes\n$Elements\n{len(rows)}\n")
    for (kind, _, nodes, entity, _), group, number in rows:
        tags, nodes = [PHYSICAL[group], entity], gmsh_nodes(kind, nodes)
        if order is None:
            out.put("", number, GMSH[kind], 2, *tags, *nodes)
        else:
            out.put("iii", GMSH[kind], 1, 2)
            out.put("i" * (3 + len(nodes)), number, *tags, *nodes)
    out.end()
    out.text("$EndElements\n")
    return out.data


def vtu(format, order="<", wide=False, packed=False, encoding="base64"):
    appended = b""

    def block(form, values):
        raw = struct.pack(f"{order}{len(values)}{form}", *values)
        h = order + ("Q" if wide else "I")
        if not packed:
            return [struct.pack(h, len(raw)) + raw]
        size = 64
        pieces = [zlib.compress(raw[i : i + size]) for i in range(0, len(raw), size)]
        table = [len(pieces), size, len(raw) % size] + [len(p) for p in pieces]
        return [b"".join(struct.pack(h, n) for n in table), b"".join(pieces)]

    def array(name, kind, form, values, components=1):
        nonlocal appended
        start = f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{components}" format="{format}"'
        if format == "ascii":
            return f'{start}>\n{" ".join(repr(v).removesuffix(".0") for v in values)}\n</DataArray>\n'.encode()
        if encoding == "raw":
            data = b"".join(block(form, values))
        else:
            data = b"".join(base64.b64encode(b) for b in block(form, values))
        if format == "binary":
            return f"{start}>\n".encode() + data + b"\n</DataArray>\n"
        place = len(appended)
        appended += data
        return f'{start} offset="{place}"/>\n'.encode()

    flat = list(itertools.chain(*points))
    out = f'<?xml version="1.0"?>\n<!-- <Piece> -->\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order='
    out += '"BigEndian"' if order == ">" else '"LittleEndian"'
    out += f' header_type="{"UInt64" if wide else "UInt32"}"'
    out += ' compressor="vtkZLibDataCompressor"' if packed else ""
    out += f'>\n<UnstructuredGrid>\n<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}">\n'
    out = out.encode() + b"<PointData>\n"
    out += array("temperature", "Float32", "f", [0.5] * len(points)) + b"</PointData>\n<CellData>\n"
    for name in PHYSICAL:
        out += array(f"group:{name}", "Int8", "b", [int(name in c[4]) for c in cells])
    out += b"</CellData>\n<Points>\n" + array("Points", "Float64", "d", flat, 3) + b"</Points>\n<Cells>\n"
    out += array("connectivity", "Int32", "i", list(itertools.chain(*(c[2] for c in cells))))
    out += array("offsets", "Int64", "q", list(itertools.accumulate(len(c[2]) for c in cells)))
    out += array("types", "UInt8", "B", [VTK[c[0]] for c in cells])
    out += b"</Cells>\n</Piece>\n</UnstructuredGrid>\n"
    if format == "appended":
        out += f'<AppendedData encoding="{encoding}">\n_'.encode() + appended + b"\n</AppendedData>\n"
    return out + b"</VTKFile>\n"


def inp():
    out = "*Heading\n** a comment, with commas\n a mesh\n*node, nset=ALL\n"
    out += "".join(f"{node(a)}, " + ", ".join(f"{x:g}" for x in p) + "\n" for a, p in enumerate(points))
    types = {"triangle": "STRI65", "tetrahedron": "C3D10MH"}
    for kind, number, nodes, _, groups in cells[1:]:
        names = [str(node(a)) for a in nodes]
        out += f"*ELEMENT, TYPE={types[kind]},\n ELSET={groups[0]}\n{number}, {', '.join(names[:4])},\n"
        out += f"** between\n {', '.join(names[4:])}\n"
    out += '*Elset, elset="upper half", generate\n104, 104, 1\n*ELSET, ELSET=7\nClamp,\n'
    out += f"*NSET, NSET=tip\n{node(4)}\n*Material, name=steel\n*Density\n7800.,\n"
    return out.encode()


FILES = {
    "4.1.msh": msh41(None),
    "4.1-little.msh": msh41("<"),
    "4.1-big.msh": msh41(">"),
    "2.2.msh": msh22(None),
    "2.2-little.msh": msh22("<"),
    "2.2-big.msh": msh22(">"),
    "text.vtu": vtu("ascii"),
    "base64.vtu": vtu("binary"),
    "base64-big-zlib.vtu": vtu("binary", ">", wide=True, packed=True),
    "appended-raw.vtu": vtu("appended", wide=True, encoding="raw"),
    "appended-raw-zlib.vtu": vtu("appended", packed=True, encoding="raw"),
    "appended-base64.vtu": vtu("appended"),
    "flat.inp": inp(),
}
for name, data in FILES.items():
    with open(name, "wb") as file:
        file.write(data)
