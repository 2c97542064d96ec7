"""Prints as JSON, by path, what ezdxf complains about in drawings and how many entities of each type stand in model space.

usage: dxf_audit.py FILE...
The file is read strictly (not by ezdxf.recover); faults are the auditor's errors and what it would mend.
"""
import json
import sys

import ezdxf


def judge(path):
    try:
        doc = ezdxf.readfile(path)
        auditor = doc.audit()
        counts = {}
        for entity in doc.modelspace():
            key = f"{entity.dxf.layer} {entity.dxftype()}"
            counts[key] = counts.get(key, 0) + 1
        return {
            "version": doc.dxfversion,
            "faults": [entry.message for entry in auditor.errors + auditor.fixes],
            "counts": counts,
        }
    except Exception as error:  # whatever it stumbles over is a fault of the file
        return {"version": None, "faults": [f"{type(error).__name__}: {error}"], "counts": {}}


json.dump({path: judge(path) for path in sys.argv[1:]}, sys.stdout)
