/**
 * The interface specification as tests, chapter by chapter, against one real server process: starting one for each
 * chapter would take most of the time. A chapter runs alone as well: `node --test apps/service/test/api/spec/append.ts`.
 * docs/specification.md is made of the titles, "chapter | row | statement", in the order of these lines.
 */
import './spec/resources.ts';
import './spec/transformation-object.ts';
import './spec/csv-request.ts';
import './spec/states.ts';
import './spec/job-api.ts';
import './spec/versioned-api.ts';
import './spec/append.ts';
import './spec/merge.ts';
import './spec/async.ts';
import './spec/readers.ts';
import './spec/writers.ts';
import './spec/writer-dxf.ts';
import './spec/reprojection.ts';
import './spec/errors.ts';
import './spec/limits-versioning.ts';
import './spec/layers.ts';
import './spec/beyond.ts';
