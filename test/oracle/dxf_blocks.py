"""Makes a drawing of random nested INSERTs and says where ezdxf sees the points, layers and colours of their blocks.

    python3 dxf_blocks.py <seed> <out.dxf>    JSON on standard output: [[x, y, z, layer, "#rrggbb"], ...]
    python3 dxf_blocks.py palette <out.dxf>   a point of each palette index; JSON: GDAL's "#rrggbb" by index, from 1
"""
import json
import random
import re
import sys

import ezdxf
from ezdxf.addons.drawing.properties import RenderContext


def scale(r):
    return r.choice([1, 2, -1, 0.5, -3])


def extrusion(r):
    kind = r.random()
    if kind < 0.5:
        return (0, 0, 1)
    if kind < 0.7:
        return (0, 0, -1)
    return (r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1))


def insert(r, layout, name, uniform, may_repeat=True):
    s = scale(r)
    factors = (s, s, s) if uniform else (scale(r), scale(r), scale(r))
    attribs = {
        "xscale": factors[0],
        "yscale": factors[1],
        "zscale": factors[2],
        "rotation": r.choice([0, 90, 180, r.uniform(-360, 360)]),
        "layer": r.choice(["0", "red", "green"]),
        "color": r.choice([256, 0, 5, 33]),
        "extrusion": extrusion(r),
    }
    if may_repeat and r.random() < 0.3:
        attribs.update(column_count=2, row_count=3, column_spacing=r.uniform(1, 9), row_spacing=r.uniform(-9, 9))
    layout.add_blockref(name, (r.uniform(-50, 50), r.uniform(-50, 50), r.uniform(-5, 5)), attribs)


def blocks(seed, path):
    r = random.Random(seed)
    doc = ezdxf.new("R2010")
    doc.layers.add("red", color=1)
    doc.layers.add("green", color=94)
    names = []
    for level in range(3):
        base = (r.uniform(-3, 3), r.uniform(-3, 3), r.uniform(-3, 3)) if level % 2 == 0 else (0, 0, 0)
        block = doc.blocks.new(f"B{level}", base_point=base)
        for _ in range(2):
            place = (r.uniform(-9, 9), r.uniform(-9, 9), r.uniform(-9, 9))
            block.add_point(place, {"layer": r.choice(["0", "red"]), "color": r.choice([256, 0, 3])})
        if names:
            # Turned blocks in unevenly scaled ones are sheared, which ezdxf's INSERTs cannot be; nor does it turn
            # the rows and columns of an array within a block.
            insert(r, block, r.choice(names), True, False)
        names.append(f"B{level}")
    space = doc.modelspace()
    for _ in range(4):
        insert(r, space, r.choice(names), True)
    insert(r, space, names[0], False)
    doc.saveas(path)
    # ezdxf resolves layers and colours from the state of the INSERT while it walks.
    context = RenderContext(doc)
    found = []

    def walk(entities):
        for entity in entities:
            if entity.dxftype() == "INSERT":
                if entity.mcount > 1:
                    walk(entity.multi_insert())
                    continue
                context.push_state(context.resolve_all(entity))
                walk(entity.virtual_entities())
                context.pop_state()
            else:
                properties = context.resolve_all(entity)
                x, y, z = entity.dxf.location
                found.append([x, y, z, properties.layer, properties.color[:7]])

    walk(space)
    print(json.dumps(found))


def palette(path):
    from osgeo import ogr

    doc = ezdxf.new("R2010")
    for index in range(1, 256):
        doc.modelspace().add_point((index, 0), {"color": index})
    doc.saveas(path)
    source = ogr.Open(path)
    colors = [re.search(r"c:(#......)", feature.GetStyleString()).group(1) for feature in source.GetLayer(0)]
    print(json.dumps(colors))


if sys.argv[1] == "palette":
    palette(sys.argv[2])
else:
    blocks(int(sys.argv[1]), sys.argv[2])
