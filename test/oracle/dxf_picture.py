"""Draws a drawing with ezdxf's drawing add-on (needs python3-matplotlib), to be looked at.

usage: dxf_picture.py DRAWING.dxf PICTURE.png
docs/images/dxf-harbour.png: geomill convert samples/harbour.geojson harbour.dxf --to-crs EPSG:25832, then this.
"""
import sys

import ezdxf
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot
from ezdxf.addons.drawing import Frontend, RenderContext
from ezdxf.addons.drawing.matplotlib import MatplotlibBackend

doc = ezdxf.readfile(sys.argv[1])
figure = plot.figure(figsize=(9, 6))
axes = figure.add_axes([0, 0, 1, 1])
Frontend(RenderContext(doc), MatplotlibBackend(axes)).draw_layout(doc.modelspace(), finalize=True)
figure.savefig(sys.argv[2], dpi=80)
