"""Opens results with other people's readers and compares their numbers with series.csv, to the bit."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

import h5py
import meshio
import numpy
import pandas
import pyarrow.parquet
import vtk
from vtk.util.numpy_support import vtk_to_numpy

MESH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
4
1 1 "left"
1 2 "right"
2 3 "body"
1 4 "string"
$EndPhysicalNames
$Nodes
{nodes}
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 0.5 0.5 0
{node}$EndNodes
$Elements
{count}
1 1 2 1 1 4 1
2 1 2 2 2 2 3
11 2 2 3 3 1 2 5
12 2 2 3 3 2 3 5
13 2 2 3 3 3 4 5
14 2 2 3 3 4 1 5
{string}$EndElements
"""

SOLID = """mesh = "square.msh"
end = 1.0
integrator = {{ method = "avi", steps = "free", fraction = 0.2 }}
[material.rubber]
group = "body"
law = "neo-hookean"
young = 10
poisson = 0.3
density = 1
{string}[support.wall]
group = "left"
fixed = true
[load.pull]
group = "right"
traction = ["0.1*(1 + t)", 0]
[probe]
tip = {{ at = [1, 1], value = "x - X" }}
speed = {{ at = [1, 1], value = "vy" }}
[output]
rows = 20
frames = 4
series = ["csv", "parquet"]
"""

STRING = """[material.string]
group = "string"
law = "bar"
young = 5
density = 1
area = 0.1
"""


def bits(values):
    return numpy.ascontiguousarray(values, dtype=numpy.float64).view(numpy.uint64).tolist()


def same(a, b, what):
    assert bits(a) == bits(b), f"{what}: {a} is not {b}"


def run(program, folder, *arguments):
    done = subprocess.run([program, "run", *arguments, "--quiet"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def rows(out):
    with open(out / "series.csv", newline="") as file:
        return list(csv.DictReader(file))


def arrays(data):
    return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}


def vtu_frames(out):
    """Times and grids that frames.pvd lists, as VTK's reader has them."""
    frames = []
    for entry in xml.parse(out / "frames.pvd").getroot().iter("DataSet"):
        reader = vtk.vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(out / entry.get("file")))
        reader.Update()
        assert reader.GetErrorCode() == 0
        frames.append((float(entry.get("timestep")), reader.GetOutput()))
    return frames


def xdmf_frames(out):
    """The same from frames.xdmf, by meshio: VTK's wheels have no reader of XDMF. It knows no times, so frames go to it one by one."""
    frames = []
    for grid in xml.parse(out / "frames.xdmf").getroot().find("Domain/Grid"):
        time = grid.find("Time")
        grid.remove(time)
        one = xml.Element("Xdmf", Version="3.0")
        xml.SubElement(one, "Domain").append(grid)
        xml.ElementTree(one).write(out / "one.xdmf")
        frames.append((float(time.get("Value")), meshio.read(out / "one.xdmf")))
    (out / "one.xdmf").unlink()
    return frames


def items(out):
    """What frames.xdmf says of each frame, read by h5py: time, topology, points, fields."""
    frames = []
    for grid in xml.parse(out / "frames.xdmf").getroot().find("Domain/Grid"):
        def read(item):
            file, name = item.text.split(":")
            with h5py.File(out / file) as h5:
                found = h5[name][()]
            assert list(found.shape) == [int(n) for n in item.get("Dimensions").split()], item.attrib
            assert found.dtype == {"Float": "<f8", "Int": "<i8"}[item.get("NumberType")]
            return found
        fields = {a.get("Name"): read(a.find("DataItem")) for a in grid.iter("Attribute")}
        topology = grid.find("Topology")
        frames.append((float(grid.find("Time").get("Value")), topology, read(topology.find("DataItem")),
                       read(grid.find("Geometry/DataItem")), fields))
    return frames


def cells(grid):
    return [[grid.GetCellType(k)] + [grid.GetCell(k).GetPointId(i) for i in range(grid.GetCell(k).GetNumberOfPoints())]
            for k in range(grid.GetNumberOfCells())]


# In VTK's order xx, yy, zz, xy, yz, xz.
BY_ROWS = [0, 3, 5, 1, 4, 2]


def check_solid(program, folder, name, strings):
    (folder / name).mkdir()
    string, node = ("15 1 2 4 4 3 6\n", "6 2 1 0\n") if strings else ("", "")
    mesh = MESH.format(nodes=5 + strings, node=node, count=6 + strings, string=string)
    (folder / name / "square.msh").write_text(mesh)
    (folder / name / "pull.toml").write_text(SOLID.format(string=STRING if strings else ""))
    for form in ["vtu", "xdmf"]:
        run(program, folder / name, "pull.toml", "--out", form, "--set", f"output.frame_format={form}")
    out, other = folder / name / "vtu", folder / name / "xdmf"
    series, frames = rows(out), vtu_frames(out)
    assert (out / "series.csv").read_bytes() == (other / "series.csv").read_bytes()
    assert len(series) == 21 and len(frames) == 5
    told = items(other)
    read = xdmf_frames(other)
    for k, (time, grid) in enumerate(frames):
        row, points, on_cells = series[5 * k], arrays(grid.GetPointData()), arrays(grid.GetCellData())
        same(time, float(row["t"]), "time")
        same(points["displacement"][2][0], float(row["tip"]), "tip")
        same(points["velocity"][2][1], float(row["speed"]), "speed")
        assert on_cells["updates"].sum() == float(row["updates.total"])
        assert sorted(on_cells["element"]) == [11, 12, 13, 14] + [15] * strings
        place = vtk_to_numpy(grid.GetPoints().GetData())
        assert place[4].tolist() == [0.5, 0.5, 0.0]
        # The same frame by XDMF: first its arrays as they are, then as VTK has them.
        when, topology, nodes, where, fields = told[k]
        same(when, time, "time in frames.xdmf")
        same(where, place, "points in HDF5")
        expected = cells(grid)
        if not strings:
            assert topology.get("TopologyType") == "Triangle"
            assert nodes.tolist() == [cell[1:] for cell in expected]
        for field, values in [*points.items(), *on_cells.items()]:
            is_tensor = values.ndim == 2 and values.shape[1] == len(BY_ROWS)
            same(fields[field], values[:, BY_ROWS] if is_tensor else values, field)
        when, found = read[k]
        kinds = {"line": 3, "triangle": 5}
        assert [[kinds[block.type], *cell] for block in found.cells for cell in block.data.tolist()] == expected
        same(found.points, place, "points by meshio")
        same(found.point_data["displacement"], points["displacement"], "displacement by meshio")
        for field in ["von_mises", "updates", "element"]:
            same(numpy.concatenate(found.cell_data[field]), on_cells[field], f"{field} by meshio")
    check_parquet(out)


def check_parquet(out):
    read, parquet = rows(out), pandas.read_parquet(out / "series.parquet")
    assert list(parquet.columns) == list(read[0]) and len(parquet) == len(read)
    for column in parquet.columns:
        a = numpy.array([float(row[column] or "nan") for row in read])
        b = parquet[column].to_numpy(dtype=float)
        # NaN is NaN whatever its bits.
        same(numpy.where(numpy.isnan(a), 0.0, a), numpy.where(numpy.isnan(b), 0.0, b), column)
        assert (numpy.isnan(a) == numpy.isnan(b)).all(), column
    summary = json.loads((out / "summary.json").read_text())
    assert summary["rows"] == len(parquet)
    assert pyarrow.parquet.ParquetFile(out / "series.parquet").metadata.num_columns == len(parquet.columns)


def check_series(program, folder):
    """Long enough for several groups of rows; with columns that are mostly empty; and Parquet alone."""
    sets = ["--set", "output.series=['csv','parquet']", "--set", "claim=[]"]
    run(program, folder, "pendulum", "--out", "long", "--set", "end=6000", "--set", "output.every=1", *sets)
    check_parquet(folder / "long")
    assert pyarrow.parquet.ParquetFile(folder / "long/series.parquet").metadata.num_row_groups > 1
    run(program, folder, "double-pendulum-rods", "--out", "rods", "--set", "end=5", *sets)
    check_parquet(folder / "rods")
    run(program, folder, "heavy-top", "--out", "alone", "--set", "end=1", "--set", "claim=[]", "--set", "output.series=parquet")
    assert not (folder / "alone/series.csv").exists()
    assert len(pandas.read_parquet(folder / "alone/series.parquet")) > 10


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        check_solid(program, folder, "triangles", False)
        check_solid(program, folder, "with-a-string", True)
        check_series(program, folder)
    version = vtk.vtkVersion().GetVTKVersion()
    print(f"VTU by VTK {version}, XDMF by meshio and h5py, Parquet by pandas and pyarrow: as series.csv, to the bit")


main()
