"""ogr2ogr of the GDAL library in the wheel of pyogrio, which has no programs: `python vector_translate.py -f DRIVER OUTPUT INPUT [options]`.

Called through ctypes: pyogrio itself is not imported, because numpy takes longer to load than a small conversion.
"""

import ctypes
import glob
import os
import sys

packages = glob.glob(os.path.join(sys.prefix, "lib", "python3*", "site-packages"))[0]
os.environ["PROJ_DATA"] = os.path.join(packages, "pyogrio", "proj_data")
os.environ["GDAL_DATA"] = os.path.join(packages, "pyogrio", "gdal_data")
os.environ["GDAL_NUM_THREADS"] = "2"
gdal = ctypes.CDLL(glob.glob(os.path.join(packages, "pyogrio.libs", "libgdal-*.so*"))[0])
for name in ("GDALOpenEx", "GDALVectorTranslateOptionsNew", "GDALVectorTranslate"):
    getattr(gdal, name).restype = ctypes.c_void_p
gdal.GDALVersionInfo.restype = ctypes.c_char_p
gdal.CPLGetLastErrorMsg.restype = ctypes.c_char_p
OF_VECTOR = 4
OF_VERBOSE_ERROR = 0x40


def strings(values):
    return (ctypes.c_char_p * (len(values) + 1))(*[value.encode() for value in values], None)


def fail(what):
    sys.exit(f"{what}: {gdal.CPLGetLastErrorMsg().decode()}")


arguments = sys.argv[1:]
if arguments == ["--version"]:
    print(gdal.GDALVersionInfo(b"--version").decode())
    sys.exit()
_, driver, output, input_path = arguments[:4]
open_options, options = [], ["-f", driver]
rest = iter(arguments[4:])
for argument in rest:
    if argument == "-oo":
        open_options.append(next(rest))
    else:
        options.append(argument)
gdal.GDALAllRegister()
source = gdal.GDALOpenEx(input_path.encode(), OF_VECTOR | OF_VERBOSE_ERROR, None, strings(open_options), None)
if not source:
    fail(input_path)
translation = gdal.GDALVectorTranslateOptionsNew(strings(options), None)
if not translation:
    fail("options")
usage_error = ctypes.c_int(0)
sources = (ctypes.c_void_p * 1)(source)
target = gdal.GDALVectorTranslate(
    output.encode(), None, 1, sources, ctypes.c_void_p(translation), ctypes.byref(usage_error)
)
if not target or usage_error.value:
    fail(output)
if gdal.GDALClose(ctypes.c_void_p(target)) != 0:
    fail(output)
gdal.GDALClose(ctypes.c_void_p(source))
