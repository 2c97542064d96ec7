/**
 * What the service takes and answers with, as types.
 *
 * Generated from the OpenAPI document by scripts/client-types.ts: run `npm run docs`.
 */

export interface JobStatusWaiting {
  /** Names the job in paths. */
  job_id: string;
  status: 'QUEUED' | 'RUNNING';
}

export interface JobStatusSuccess {
  /** Names the job in paths. */
  job_id: string;
  status: 'SUCCESS';
  /** Where the output is, until it expires. */
  output_url: string;
}

export interface JobStatusFailed {
  /** Names the job in paths. */
  job_id: string;
  status: 'FAILED';
  /** One sentence for a person: what is wrong, where, what to do. */
  error: string;
}

/** The state of a job, with the fields that belong to it. */
export type JobStatus = JobStatusWaiting | JobStatusSuccess | JobStatusFailed;

export interface JobAccepted {
  /** Names the job in paths. */
  job_id: string;
  status: 'QUEUED' | 'RUNNING' | 'SUCCESS' | 'FAILED';
}

/** How far a job is; `fraction` never falls. */
export interface Progress {
  fraction: number;
  stage: 'waiting' | 'opening' | 'scanning' | 'collecting' | 'converting' | 'finishing' | 'ended';
}

export interface JobError {
  /** Does not change. */
  code: 'CONFIG_NOT_JSON' | 'CONFIG_INVALID' | 'PART_MISSING' | 'PART_DUPLICATE' | 'FORMAT_UNKNOWN' | 'FIELD_REQUIRED' | 'INLINE_NOT_POSSIBLE' | 'TRANSFORMATION_UNKNOWN' | 'TRANSFORMATION_INVALID' | 'FIELD_UNKNOWN' | 'FIELD_NAME_TAKEN' | 'AGGREGATE_TYPE' | 'AGGREGATE_OVERFLOW' | 'INPUT_URL_DISABLED' | 'URL_INVALID' | 'URL_REFUSED' | 'MULTIPART_INVALID' | 'LAYER_UNKNOWN' | 'LAYER_NOT_IN_TARGET' | 'CRS_UNKNOWN' | 'CRS_MISSING' | 'CRS_LIST_LENGTH' | 'CRS_CONFLICT' | 'CRS_NO_OPERATION' | 'COORDINATE_OUTSIDE_DOMAIN' | 'COORDINATE_OUT_OF_RANGE' | 'COORDINATE_NOT_FINITE' | 'CRS_NOT_FOUND' | 'INPUT_EMPTY' | 'INPUT_WRONG_FORMAT' | 'INPUT_UNREADABLE' | 'TEXT_ENCODING_INVALID' | 'TEXT_ENCODING_UNKNOWN' | 'LIMIT_EXCEEDED' | 'URL_UNREACHABLE' | 'URL_STATUS' | 'URL_REDIRECT' | 'URL_ENCODING' | 'URL_TIMEOUT' | 'URL_INCOMPLETE' | 'LAYER_NAME_TOO_LONG' | 'FIELD_NAME_TOO_LONG' | 'GEOJSON_SYNTAX' | 'GEOJSON_STRUCTURE' | 'SHP_MEMBER_MISSING' | 'SHP_HEADER' | 'SHP_RECORD' | 'DBF_HEADER' | 'DBF_RECORD' | 'SHP_TOO_LARGE' | 'SHP_TOO_MANY_FIELDS' | 'CSV_SYNTAX' | 'CSV_COLUMN_MISSING' | 'CSV_GEOMETRY' | 'DATABASE_DAMAGED' | 'DATABASE_UNREADABLE' | 'DATABASE_REFUSED' | 'GPKG_NO_FEATURES' | 'GPKG_TOO_MANY_FIELDS' | 'GPKG_ROW' | 'DXF_TOO_LARGE' | 'DXF_TOO_MANY_LAYERS' | 'DXF_SYNTAX' | 'DXF_BINARY' | 'DXF_TRUNCATED' | 'DXF_NO_ENTITIES' | 'OUTPUT_FACTOR_EXCEEDED' | 'GEOS_FAILED' | 'GEOS_OUT_OF_MEMORY' | 'WKT_SYNTAX' | 'WKB_SYNTAX' | 'ZIP_INVALID' | 'ZIP_ENTRY_NAME' | 'ZIP_OVERLAP' | 'JOB_UNKNOWN' | 'JOB_NOT_DONE' | 'JOB_EXPIRED' | 'JOB_TIMEOUT' | 'JOB_OUT_OF_MEMORY' | 'JOB_ATTEMPTS_EXHAUSTED' | 'RUNNER_MESSAGE_INVALID' | 'IDEMPOTENCY_CONFLICT' | 'IDEMPOTENCY_KEY_RELEASED' | 'QUEUE_FULL' | 'RATE_EXCEEDED' | 'OWNER_JOBS_EXCEEDED' | 'OWNER_STORAGE_EXCEEDED' | 'OUTPUT_STORAGE_EXCEEDED' | 'STORAGE_FULL' | 'STORAGE_UNAVAILABLE' | 'SHUTTING_DOWN' | 'CANCELLED' | 'PATH_FORMAT_UNKNOWN' | 'ROUTE_UNKNOWN' | 'METHOD_NOT_ALLOWED' | 'HEADERS_TOO_LARGE' | 'HTTP_INVALID' | 'EXPECTATION_UNKNOWN' | 'REQUEST_TIMEOUT' | 'RANGE_NOT_SATISFIABLE' | 'BODY_TYPE' | 'QUERY_INVALID' | 'BODY_TRUNCATED' | 'BODY_NOT_JSON' | 'BODY_MEMBER_INVALID' | 'CREDENTIALS_MISSING' | 'CREDENTIALS_INVALID' | 'CREDENTIALS_AMBIGUOUS' | 'TOKEN_REQUEST_INVALID' | 'GRANT_TYPE_UNSUPPORTED' | 'TOKEN_SCOPE_REFUSED' | 'SCOPE_MISSING' | 'ORIGIN_REFUSED' | 'HOST_REFUSED' | 'TOO_MANY_ATTEMPTS' | 'IDENTITY_PROVIDER_UNAVAILABLE' | 'CREDENTIAL_FIELD' | 'CREDENTIAL_UNKNOWN' | 'OWNER_UNKNOWN' | 'ACCOUNT_FIELD' | 'USER_UNKNOWN' | 'LAST_ADMIN' | 'FORM_REFUSED' | 'OWNER_REQUESTS_EXCEEDED' | 'SIGN_IN_BUSY' | 'SIGN_IN_UNAVAILABLE' | 'USAGE' | 'FILE_NOT_FOUND' | 'OUTPUT_NOT_WRITABLE' | 'SETTING_INVALID' | 'DATA_DIR_LOCKED' | 'SERVICE_DATABASE_DAMAGED' | 'SERVICE_DATABASE_UNUSABLE' | 'BACKUP_INVALID' | 'SERVICE_DATABASE_EMPTY' | 'ACCOUNTS_DATABASE' | 'CRS_DATABASE' | 'INTERNAL';
  /** One sentence for a person. */
  message: string;
  place: Place | null;
}

/** All there is to know about a job. */
export interface Job {
  /** Names the job in paths. */
  job_id: string;
  status: 'QUEUED' | 'RUNNING' | 'SUCCESS' | 'FAILED';
  progress: Progress;
  /** Times it was begun: more than one after a crash. */
  attempts: number;
  operation: 'transform' | 'append' | 'merge' | 'inspect';
  input: {
    format: string;
    /** In the order of the request; of very many the first ones. */
    files: {
      name: string;
      /** Length of the file; null where it is fetched by its URL. */
      bytes: number | null;
      /** CRS that the request states for it. */
      crs: string | null;
    }[];
    /** How many files there are. */
    file_count: number;
  };
  output: {
    /** Null: an inspection, which answers with JSON. */
    format: string | null;
    /** CRS that the request states; null: it states none, so EPSG:4326. */
    crs: string | null;
    /** File name of the output. From SUCCESS on, as `bytes` and `media_type`. */
    name?: string;
    /** Length of the output. */
    bytes?: number;
    media_type?: string;
    /** Where the output is. Absent once it has expired. */
    url?: string;
  };
  /** When it was accepted. */
  created_at: string;
  /** Begin of the latest attempt. */
  started_at: string | null;
  /** End. */
  ended_at: string | null;
  /** When the output is removed; null before the end. */
  expires_at: string | null;
  timings: {
    /** Milliseconds in the queue. */
    waited_ms: number | null;
    /** Milliseconds of the latest attempt. */
    ran_ms: number | null;
  };
  /** Those of the report; before it is there, those of the request. */
  warnings: Finding[];
  /** From SUCCESS on; of an inspection always null: its report is its output. */
  report: Report | null;
  /** Of a failed job. */
  error: JobError | null;
}

/** A job as lists show it. */
export interface JobShort {
  /** Names the job in paths. */
  job_id: string;
  status: 'QUEUED' | 'RUNNING' | 'SUCCESS' | 'FAILED';
  operation: 'transform' | 'append' | 'merge' | 'inspect';
  input: {
    format: string;
    /** The first ten. */
    files: {
      name: string;
      /** Length of the file. */
      bytes: number | null;
    }[];
    /** How many files there are. */
    file_count: number;
  };
  output: {
    /** Null: an inspection, which answers with JSON. */
    format: string | null;
    /** File name of the output. From SUCCESS on, as `bytes` and `media_type`. */
    name?: string;
    /** Length of the output. */
    bytes?: number;
    media_type?: string;
    /** Where the output is. Absent once it has expired. */
    url?: string;
  };
  /** When it was accepted. */
  created_at: string;
  /** Begin of the latest attempt. */
  started_at: string | null;
  /** End. */
  ended_at: string | null;
  /** When the output is removed; null before the end. */
  expires_at: string | null;
  /** Kinds of warnings. */
  warning_count: number;
  /** Of a failed job: what is wrong, where, what to do. */
  error: string | null;
}

/** A page of the list of jobs. */
export interface JobPage {
  /** Newest first. */
  jobs: JobShort[];
  /** Leads to the next page; null: this is the last. */
  next_cursor: string | null;
}

export interface TaskAccepted {
  message: string;
  /** Names the task in paths; also the id of its job. */
  task_id: string;
  state: 'TASK CREATED';
}

/** The state of a task of the versioned surface. */
export interface Task {
  state: 'TASK CREATED' | 'PROCESSING' | 'SUCCESS' | 'FAILED';
  message: string;
  /** Where the output is. With SUCCESS. */
  output_url?: string;
  /** What is wrong, where, what to do. With FAILED. */
  error?: string;
}

/** Where in the data something lies; what is known of it. */
export interface Place {
  /** Where there are several. */
  file?: string;
  layer?: string;
  /** Feature or record in the layer, from 1. */
  record?: number;
  /** Line of a text file, from 1. */
  line?: number;
  /** Byte of the file, from 0. */
  offset?: number;
  /** Feature id or handle as the source writes it. */
  id?: string;
  field?: string;
}

/** Something that was tolerated, changed or left out, with a count: a warning. */
export interface Finding {
  /** Does not change. */
  code: 'UNKNOWN_KEY' | 'UNKNOWN_KEYS' | 'RESULT_EMPTY' | 'UNKNOWN_PART' | 'INPUT_LENGTH_UNKNOWN' | 'CRS_FROM_REQUEST' | 'SRID_STATED' | 'CRS_MEMBER_IGNORED' | 'CRS_OUTPUT_FIXED' | 'CRS_NOT_WRITTEN' | 'COORDINATES_OUT_OF_RANGE' | 'OUTSIDE_AREA_OF_USE' | 'BALLPARK_TRANSFORMATION' | 'GRID_MISSING' | 'ANTIMERIDIAN_CUT' | 'Z_DROPPED' | 'M_DROPPED' | 'ORDINATE_FILLED' | 'EMPTY_TO_NULL' | 'RING_CLOSED' | 'RINGS_REORDERED' | 'COLLECTION_FLATTENED' | 'COLLECTION_SPLIT' | 'MULTIPATCH_TO_POLYGONS' | 'SURFACE_TO_POLYGONS' | 'CURVES_STROKED' | 'CURVE_GAP_BRIDGED' | 'VERTEX_COUNT_DIFFERS' | 'EMPTY_MEMBER_DROPPED' | 'EXTRA_ORDINATES' | 'GEOMETRY_DEGENERATE' | 'GEOMETRY_NULL' | 'GEOMETRY_NOT_DRAWN' | 'SRID_DIFFERS' | 'PLAIN_WKB' | 'GEOMETRY_REPAIRED' | 'GEOMETRY_DROPPED' | 'PARTS_SEPARATED' | 'COLLECTION_NOT_MERGED' | 'FEATURES_OUTSIDE' | 'FEATURES_ERASED' | 'Z_INTERPOLATED' | 'MASK_REPAIRED' | 'MASK_CUT' | 'DISTANCE_SCALE_OFF' | 'FIELD_RENAMED' | 'FIELD_RETYPED' | 'FIELD_DROPPED' | 'FIELDS_NOT_DECLARED' | 'FIELD_NOT_FOUND' | 'COLUMN_RENAMED' | 'FID_REASSIGNED' | 'ORDER_BY_KEY' | 'IDS_AS_FIELD' | 'DATETIME_TO_UTC' | 'DATETIME_OFFSET_KEPT' | 'DATETIME_ASSUMED_UTC' | 'IDS_WITHOUT_FIELD' | 'IDS_DROPPED' | 'TEXT_CUT' | 'BLANKS_NOT_KEPT' | 'TEXT_REPLACED' | 'NUMBER_ROUNDED' | 'NUMBER_NOT_FINITE' | 'FIELD_WIDENED' | 'VALUE_INVALID' | 'VALUES_TOO_LONG' | 'COLOR_NOT_DRAWN' | 'VALUE_NOT_WRITTEN' | 'NAME_DUPLICATE' | 'FOREIGN_MEMBERS_DROPPED' | 'VALUES_COLLAPSED' | 'FIELD_NOT_APPENDED' | 'FIELD_MATCHED' | 'VALUE_NOT_APPENDED' | 'IDS_NOT_APPENDED' | 'ATTRIBUTES_NOT_MERGED' | 'RECORD_DELETED' | 'RECORD_SKIPPED' | 'ENTITY_SKIPPED' | 'PAPER_SPACE_LEFT_OUT' | 'BLOCK_MISSING' | 'BLOCK_CIRCULAR' | 'BLOCK_TOO_DEEP' | 'CLIP_IGNORED' | 'PICTURE_MISSING' | 'EXTERNAL_REFERENCE' | 'ATTRIBUTE_RENAMED' | 'XDATA_DROPPED' | 'XDATA_DAMAGED' | 'TEXT_BY_CODE_PAGE' | 'EOF_MISSING' | 'HEAD_ENTRY_SKIPPED' | 'UNIT_CONTRADICTS_CRS' | 'ATTRIBUTES_MISSING' | 'SHAPES_MISSING' | 'INDEX_REBUILT' | 'ENCODING_GUESSED' | 'ENCODING_NAME_UNKNOWN' | 'ENCODING_OPTION_UNUSED' | 'DELIMITER_FOUND' | 'FILE_SPLIT' | 'LAYER_RENAMED' | 'LAYER_SKIPPED' | 'CATALOGUE_STALE' | 'LAYERS_JOINED';
  /** One sentence for a person. */
  message: string;
  /** How many features, values or fields it concerns. */
  count: number;
  /** The first few places. */
  places: Place[];
  /** What was filled into the sentence. */
  params: Record<string, string | number>;
}

/** What a conversion did with the data. Nothing is lost that it does not tell. A report has at most 1 MB: names are shortened to 200 characters (the end of a shortened name tells its length), and long lists are cut (see `totals`). */
export interface Report {
  input: {
    format: string;
    /** Of the first file. */
    name: string;
    /** In the order of the request. */
    files: {
      name: string;
      /** Read of all its layers. */
      features: number;
    }[];
    layers: {
      name: string;
      /** The file that it is a layer of. */
      file: string;
      /** Features that were read. */
      features: number;
      /** Source CRS that was used, e.g. `EPSG:28350`, or WKT. */
      crs: string;
      crs_name: string;
      /** Text encoding of the attributes, where the format has a choice. */
      encoding: string | null;
      fields: {
        name: string;
        type: string;
      }[];
      /** How many fields the layer has, if `fields` does not list all of them. */
      field_count?: number;
    }[];
  };
  output: {
    format: string;
    crs: string;
    media_type: string;
    /** Bytes of the output. */
    byte_length: number;
  };
  features: {
    /** From the input. */
    read: number;
    /** Of an append: those read that are not of the target. */
    appended?: number;
    /** To the output. */
    written: number;
    /** Left out; the warnings say why. */
    dropped: number;
    /** Geometries that were not valid and were mended. */
    repaired: number;
    /** Features that became several. */
    split: number;
  };
  fields: {
    renamed: {
      layer: string;
      from: string;
      to: string;
    }[];
    retyped: {
      layer: string;
      field: string;
      from: string;
      to: string;
    }[];
    dropped: {
      layer: string;
      field: string;
      reason: string;
    }[];
  };
  reprojections: {
    layer: string;
    from: string;
    to: string;
    /** Name of the coordinate operation as PROJ gives it. */
    operation: string;
    /** Metres; null where PROJ does not know it. */
    accuracy_meters: number | null;
    /** Without a datum shift: positions can be off by 100 m or more. */
    ballpark: boolean;
    grids_used: string[];
    /** Grids that would have made it more accurate. */
    grids_missing: string[];
    /** Share of the features with positions outside the area of use of the source or target CRS. */
    outside_area_of_use: number;
  }[];
  warnings: Finding[];
  /** The lists that were cut because the report would be too long. Absent: all lists are whole. */
  totals?: {
    /** Entries there would be. */
    files?: number;
    /** Entries there would be. */
    layers?: number;
    /** Entries there would be. */
    fields_renamed?: number;
    /** Entries there would be. */
    fields_retyped?: number;
    /** Entries there would be. */
    fields_dropped?: number;
    /** Entries there would be. */
    reprojections?: number;
    /** Entries there would be. */
    warnings?: number;
  };
  timings: {
    total_ms: number;
  };
  /** Of an input that was fetched by its URL. */
  fetched?: {
    /** The host that sent it. */
    host: string;
    /** Bytes that came. */
    byte_length: number;
  };
}

/** The output of a request that wanted it inline, or of an inspection. */
export type InlineOutput = FeatureCollection | Inspection;

/** What a file holds. */
export interface Inspection {
  format: string;
  layers: {
    name: string;
    /** Features, also those without a geometry. */
    features: number;
    /** Features by geometry type. */
    geometry_types: Record<string, number>;
    has_z: boolean;
    has_m: boolean;
    /** West, south, east, north in the CRS of the layer; null without positions. */
    extent: number[] | null;
    /** Null where neither the file nor the request states one that can be used. */
    crs: {
      name: string;
      authority: {
        name: string;
        code: string;
      } | null;
      kind: 'geographic' | 'projected' | 'other';
      /** Horizontal unit of the coordinates: `degree`, `metre`, ... */
      unit_name: string;
    } | null;
    /** Of a file that states the unit of its coordinates and no CRS. */
    metres_per_unit: number | null;
    encoding: string | null;
    /** In the order of the file. */
    fields: {
      name: string;
      type: string;
      /** Features with a value. */
      non_null: number;
    }[];
  }[];
  warnings: Finding[];
  /** What a conversion to the wanted output does: it is carried out, and the file thrown away. With `error` where it fails. Null where no output is wanted. */
  output: {
    format: string;
    /** CRS of the output. */
    crs: string;
    media_type: string;
    /** Length that the output would have. */
    bytes: number;
    features: {
      /** From the input. */
      read: number;
      /** Of an append: those read that are not of the target. */
      appended?: number;
      /** To the output. */
      written: number;
      /** Left out; the warnings say why. */
      dropped: number;
      /** Geometries that were not valid and were mended. */
      repaired: number;
      /** Features that became several. */
      split: number;
    };
    fields: {
      renamed: {
        layer: string;
        from: string;
        to: string;
      }[];
      retyped: {
        layer: string;
        field: string;
        from: string;
        to: string;
      }[];
      dropped: {
        layer: string;
        field: string;
        reason: string;
      }[];
    };
    reprojections: {
      layer: string;
      from: string;
      to: string;
      /** Name of the coordinate operation as PROJ gives it. */
      operation: string;
      /** Metres; null where PROJ does not know it. */
      accuracy_meters: number | null;
      /** Without a datum shift: positions can be off by 100 m or more. */
      ballpark: boolean;
      grids_used: string[];
      /** Grids that would have made it more accurate. */
      grids_missing: string[];
      /** Share of the features with positions outside the area of use of the source or target CRS. */
      outside_area_of_use: number;
    }[];
    /** What the conversion would tolerate, change and leave out. */
    warnings: Finding[];
  } | {
    format: string;
    error: JobError;
  } | null;
}

export interface FormatRecord {
  /** As requests name it. */
  id: string;
  title: string;
  /** Endings of file names, with the dot; the first one is the usual one. */
  extensions: string[];
  /** Of an output. */
  media_type: string;
  /** Ending of the name of an output. */
  output_extension: string;
  input: boolean;
  output: boolean;
  /** Where the CRS of an input comes from. `fixed`: EPSG:4326, unless the request says otherwise. `file`: the file states it. `request`: only the request can, so it must. */
  input_crs: 'fixed' | 'file' | 'request';
  /** `many`: an output keeps layers apart. `one`: they are joined, with a field `layer`. */
  output_layers: 'one' | 'many';
  /** Options under `input`, as a JSON Schema (2020-12). */
  read_options: Record<string, unknown>;
  /** Options under `output`, as a JSON Schema (2020-12). */
  write_options: Record<string, unknown>;
  /** Paths of the operations that read the format; null: it can only be written. */
  links: {
    transform: string;
    append: string;
    merge: string;
  } | null;
}

export interface FormatList {
  formats: FormatRecord[];
}

export interface TransformationRecord {
  /** The `type` of a step. */
  id: string;
  title: string;
  /** Markdown: what it does, and what becomes of attributes and ids. */
  description: string;
  /** JSON Schema (2020-12) of the parameters. */
  parameters: Record<string, unknown>;
  /** What always holds of a result. */
  guarantees: string[];
  /** A step as it stands in `transformations`. */
  example: Record<string, unknown>;
}

export interface TransformationList {
  transformations: TransformationRecord[];
}

export interface CrsHit {
  /** As requests name it, e.g. `EPSG:25832`. */
  code: string;
  name: string;
  kind: 'projected' | 'geographic' | 'geographic_3d' | 'compound';
  /** EPSG advises against it; it still works. */
  deprecated: boolean;
  /** Where it is meant to be used, in degrees; west > east across 180 degrees. Null where EPSG does not say. */
  area: {
    name: string;
    west: number;
    south: number;
    east: number;
    north: number;
  } | null;
  /** Of the horizontal coordinates: `metre`, `degree`, `US survey foot`, ... */
  unit: string;
}

export interface CrsList {
  /** The best first. */
  crs: CrsHit[];
}

/** Parameters of buffer */
export interface BufferParameters {
  /** How far the buffer reaches, in `units`; negative values shrink polygons. */
  distance: number;
  /** Unit of the length; feet are 0.3048 m, miles 1609.344 m. */
  units: 'meters' | 'kilometers' | 'feet' | 'miles';
  /** Straight segments that draw a quarter of a circle. Default: `16`. */
  quadrant_segments?: number;
  /** How the buffer of a line ends. Default: `"round"`. */
  end_cap?: 'round' | 'flat' | 'square';
  /** How the buffer goes around corners. Default: `"round"`. */
  join?: 'round' | 'mitre' | 'bevel';
  /** How far a mitred corner may reach, in multiples of the distance. Default: `5`. */
  mitre_limit?: number;
  /** How far the outline of a result may be simplified, in `units`; 0 keeps every vertex. Default: `0`. */
  simplify_tolerance?: number;
  /** Measure on the ellipsoid although the CRS is projected; in a geographic CRS it is always so. Default: `false`. */
  geodesic?: boolean;
}

/** Each feature becomes the polygon of everything within a distance of it; a negative distance shrinks polygons. In a projected CRS the distance is converted to the unit of its axes and measured in its plane; in a geographic one, or with `geodesic`, it is measured on the ellipsoid, for each feature by itself ([how, and how exactly](geodesic-buffers.md)). Attributes, ids and order stay; Z and M end. */
export type BufferStep = {
  type: 'buffer';
  params: BufferParameters;
} | {
  type: 'buffer';
  /** How far the buffer reaches, in `units`; negative values shrink polygons. */
  distance: number;
  /** Unit of the length; feet are 0.3048 m, miles 1609.344 m. */
  units: 'meters' | 'kilometers' | 'feet' | 'miles';
  /** Straight segments that draw a quarter of a circle. Default: `16`. */
  quadrant_segments?: number;
  /** How the buffer of a line ends. Default: `"round"`. */
  end_cap?: 'round' | 'flat' | 'square';
  /** How the buffer goes around corners. Default: `"round"`. */
  join?: 'round' | 'mitre' | 'bevel';
  /** How far a mitred corner may reach, in multiples of the distance. Default: `5`. */
  mitre_limit?: number;
  /** How far the outline of a result may be simplified, in `units`; 0 keeps every vertex. Default: `0`. */
  simplify_tolerance?: number;
  /** Measure on the ellipsoid although the CRS is projected; in a geographic CRS it is always so. Default: `false`. */
  geodesic?: boolean;
};

/** Parameters of centroid */
export type CentroidParameters = Record<string, never>;

/** Each feature becomes the point in its middle: the centre of mass of its polygons, without these of its lines, without these of its points, in the plane of the coordinates. It may lie outside the feature (`point_on_surface` does not). A feature that lies on both sides of 180 degrees is taken as the plane has it, all round the earth; reproject first to a CRS that shows it in one piece. Attributes, ids and order stay; null and empty geometries stay as they are; Z and M end. */
export type CentroidStep = {
  type: 'centroid';
  params?: CentroidParameters;
} | {
  type: 'centroid';
};

/** Parameters of clip */
export interface ClipParameters {
  /** What to keep: a GeoJSON Polygon or MultiPolygon, or a Feature or FeatureCollection of these, in EPSG:4326. Required; a form may have it as a file instead, in its part `mask`. */
  clipping_geojson?: Record<string, unknown>;
}

/** Keeps what lies within the polygons of `clipping_geojson`, several of which are united. Features wholly inside stay as they are, those wholly outside are left out, those on the border are cut there. A result has the dimension of its feature: a polygon that only touches the border leaves nothing; a point on the border is inside. Collections are clipped member by member. The mask is brought into the CRS of the data with positions added, so that its edges run where they run between longitudes and latitudes, to 1 cm (less for masks of continents); it may cross 180 degrees, and one that the CRS cannot show as a whole is cut to what it can. Attributes, ids and order stay; features without a geometry stay. */
export type ClipStep = {
  type: 'clip';
  params?: ClipParameters;
} | {
  type: 'clip';
  /** What to keep: a GeoJSON Polygon or MultiPolygon, or a Feature or FeatureCollection of these, in EPSG:4326. Required; a form may have it as a file instead, in its part `mask`. */
  clipping_geojson?: Record<string, unknown>;
};

/** Parameters of convex_hull */
export type ConvexHullParameters = Record<string, never>;

/** Each feature becomes the smallest convex polygon that holds it; a line where all its positions lie on one, a point where it has only one. A feature that lies on both sides of 180 degrees is taken as the plane has it, all round the earth; reproject first to a CRS that shows it in one piece. Attributes, ids and order stay; null and empty geometries stay as they are; positions keep their Z, M ends. */
export type ConvexHullStep = {
  type: 'convex_hull';
  params?: ConvexHullParameters;
} | {
  type: 'convex_hull';
};

/** Parameters of dissolve */
export interface DissolveParameters {
  /** Names of the fields whose values tell which features become one; none: all do. Default: `[]`. */
  by?: string[];
  /** What a field of a merged feature holds, by the name of the field; "*" stands for all fields that are not named. `first` (the default) and `last`: the value of the first or last feature, in input order, that has one; `sum` and `mean` of numbers; `min` and `max` of numbers, texts, dates and times; `count`: features that have a value; `distinct`: the different values as a text, joined by ", ". Features without a value are passed over; where none has one the result is null, and 0 for `count`. */
  aggregate?: Record<string, 'first' | 'last' | 'sum' | 'mean' | 'min' | 'max' | 'count' | 'distinct'>;
}

/** Features that have equal values in the fields of `by` become one feature, of several parts where they do not touch; without `by` the whole layer becomes one. Null is a value: features without one are a group of their own. The geometry is the union of the group: borders within it vanish, lines are cut where they meet and joined end to end, equal points are one; where a group holds several kinds, lines and points within its polygons vanish in them and the result is a collection. A feature keeps the values of the fields of `by`; every other field holds the first value in input order, unless `aggregate` says otherwise. Its id is that of its first member that has one. The report names every field in which different values became one. A group of one feature stays as it is. Z is kept (where borders cross, it is interpolated), M ends with a merge. Memory: as union; large groups are divided by space. */
export type DissolveStep = {
  type: 'dissolve';
  params?: DissolveParameters;
} | {
  type: 'dissolve';
  /** Names of the fields whose values tell which features become one; none: all do. Default: `[]`. */
  by?: string[];
  /** What a field of a merged feature holds, by the name of the field; "*" stands for all fields that are not named. `first` (the default) and `last`: the value of the first or last feature, in input order, that has one; `sum` and `mean` of numbers; `min` and `max` of numbers, texts, dates and times; `count`: features that have a value; `distinct`: the different values as a text, joined by ", ". Features without a value are passed over; where none has one the result is null, and 0 for `count`. */
  aggregate?: Record<string, 'first' | 'last' | 'sum' | 'mean' | 'min' | 'max' | 'count' | 'distinct'>;
};

/** Parameters of envelope */
export type EnvelopeParameters = Record<string, never>;

/** Each feature becomes its bounding box in the plane of the coordinates: the rectangle from its least to its greatest x and y; a line or a point where it has no width or height. A feature that lies on both sides of 180 degrees is taken as the plane has it, all round the earth; reproject first to a CRS that shows it in one piece. Attributes, ids and order stay; null and empty geometries stay as they are; Z and M end. */
export type EnvelopeStep = {
  type: 'envelope';
  params?: EnvelopeParameters;
} | {
  type: 'envelope';
};

/** Parameters of erase */
export interface EraseParameters {
  /** What to remove: a GeoJSON Polygon or MultiPolygon, or a Feature or FeatureCollection of these, in EPSG:4326. Required; a form may have it as a file instead, in its part `mask`. */
  erasing_geojson?: Record<string, unknown>;
}

/** Removes what lies within the polygons of `erasing_geojson`, several of which are united: the opposite of clip. Features wholly outside stay as they are, those wholly inside are left out, those on the border are cut there. A point on the border is inside, and goes. The mask is brought into the CRS of the data as for clip. Attributes, ids and order stay; features without a geometry stay. */
export type EraseStep = {
  type: 'erase';
  params?: EraseParameters;
} | {
  type: 'erase';
  /** What to remove: a GeoJSON Polygon or MultiPolygon, or a Feature or FeatureCollection of these, in EPSG:4326. Required; a form may have it as a file instead, in its part `mask`. */
  erasing_geojson?: Record<string, unknown>;
};

/** Parameters of explode */
export type ExplodeParameters = Record<string, never>;

/** Every part of a MultiPoint, MultiLineString, MultiPolygon or GeometryCollection becomes a feature of its own, in the order of the parts, with the attributes of the whole. The first part keeps the id; the others have none, so that ids stay unique. Z and M stay. */
export type ExplodeStep = {
  type: 'explode';
  params?: ExplodeParameters;
} | {
  type: 'explode';
};

/** Parameters of filter */
export interface FilterParameters {
  /** Condition on the fields, as text (`pop > 10 and name like 'A%'`) or as JSON. At most 65536 characters; all conditions of a request together at most 10000 words, values and signs. */
  where?: string | Record<string, unknown>;
  /** West, south, east, north in `bbox_crs`; in a geographic CRS west may be greater than east: a box over the antimeridian. */
  bbox?: number[];
  /** CRS of the box: EPSG:4326 or that of the data at this point, as EPSG code. Default: `"EPSG:4326"`. */
  bbox_crs?: string | number;
}

/** Keeps the features that meet `where`, a condition on their fields, and `bbox`, a box that their bounds must meet; with both, both. `where` as text: `pop > 10 and (name like 'A%' or kind in ('school', 'shed')) and not "end date" is null`. Comparisons are `= != < <= > >=`, `in (...)`, `between ... and ...`, `like` and `ilike` (any letter case; `%` for any characters, `_` for one, `\` takes the next one as it is), `is null`, each also with `not`; joined by `and`, `or`, `not` and parentheses. Texts stand in single quotes, names of fields that are no plain words in double ones. `where` as JSON: `{"and": [{"field": "pop", "op": ">", "value": 10}, {"not": {"field": "name", "op": "is_null"}}]}`, with the operators `= != < <= > >= in not_in between not_between like not_like ilike not_ilike is_null is_not_null`. Numbers are compared as numbers (integers of 64 bits exactly; a text that is a number counts as one), texts by code points, dates and times by the instant that they mean (UTC where they state no zone). As in SQL, a comparison with null is neither true nor false, so the feature is left out, also by `!=`. In fields whose values differ in kind, values of another kind are different, and neither less nor greater. */
export type FilterStep = {
  type: 'filter';
  params?: FilterParameters;
} | {
  type: 'filter';
  /** Condition on the fields, as text (`pop > 10 and name like 'A%'`) or as JSON. At most 65536 characters; all conditions of a request together at most 10000 words, values and signs. */
  where?: string | Record<string, unknown>;
  /** West, south, east, north in `bbox_crs`; in a geographic CRS west may be greater than east: a box over the antimeridian. */
  bbox?: number[];
  /** CRS of the box: EPSG:4326 or that of the data at this point, as EPSG code. Default: `"EPSG:4326"`. */
  bbox_crs?: string | number;
};

/** Parameters of make_valid */
export interface MakeValidParameters {
  /** structure: what the shells hold without what the holes hold; parts without area are left out. linework: every area that the lines enclose an odd number of times; parts without area become lines and points. Default: `"structure"`. */
  method?: 'structure' | 'linework';
}

/** Repairs invalid geometries: rings that cross themselves or one another, holes outside their shell, polygons that overlap within one feature. Valid ones are not touched. Attributes, ids and order stay; null and empty geometries stay as they are. In a repaired feature M ends, and new positions have interpolated Z. */
export type MakeValidStep = {
  type: 'make_valid';
  params?: MakeValidParameters;
} | {
  type: 'make_valid';
  /** structure: what the shells hold without what the holes hold; parts without area are left out. linework: every area that the lines enclose an odd number of times; parts without area become lines and points. Default: `"structure"`. */
  method?: 'structure' | 'linework';
};

/** Parameters of point_on_surface */
export type PointOnSurfaceParameters = Record<string, never>;

/** Each feature becomes a point that lies in it: in the widest place that a level line through the middle of its polygons finds, else at the vertex of its lines, or the point, nearest to the centroid. Good for labels. Attributes, ids and order stay; null and empty geometries stay as they are; Z and M end. */
export type PointOnSurfaceStep = {
  type: 'point_on_surface';
  params?: PointOnSurfaceParameters;
} | {
  type: 'point_on_surface';
};

/** Parameters of reproject */
export interface ReprojectParameters {
  /** EPSG code of the CRS: 28350, "28350" or "EPSG:28350". Either this or `crs`. */
  epsg?: number | string;
  /** The CRS as an EPSG code, WKT, PROJJSON or a PROJ string. */
  crs?: string;
}

/** The steps after it work in another coordinate reference system: a distance is in its unit, straight edges are straight in it. `epsg` or `crs` is required. The output is still written in `output.epsg`; where nothing lies between two reprojections, the data goes straight to the last one. Attributes, ids and order stay. */
export type ReprojectStep = {
  type: 'reproject';
  params?: ReprojectParameters;
} | {
  type: 'reproject';
  /** EPSG code of the CRS: 28350, "28350" or "EPSG:28350". Either this or `crs`. */
  epsg?: number | string;
  /** The CRS as an EPSG code, WKT, PROJJSON or a PROJ string. */
  crs?: string;
};

/** Parameters of segmentize */
export interface SegmentizeParameters {
  /** The longest that a segment may be, in `units`. */
  max_length: number;
  /** Unit of the length; feet are 0.3048 m, miles 1609.344 m. */
  units: 'meters' | 'kilometers' | 'feet' | 'miles';
}

/** Segments of lines and polygons that are longer than `max_length` are cut into equal pieces, so that curves of a later reprojection are followed. In a geographic CRS lengths are measured on the ellipsoid, and the new positions lie on the straight segment between longitudes and latitudes. Points stay. Attributes, ids and order stay. */
export type SegmentizeStep = {
  type: 'segmentize';
  params: SegmentizeParameters;
} | {
  type: 'segmentize';
  /** The longest that a segment may be, in `units`. */
  max_length: number;
  /** Unit of the length; feet are 0.3048 m, miles 1609.344 m. */
  units: 'meters' | 'kilometers' | 'feet' | 'miles';
};

/** Parameters of select */
export interface SelectParameters {
  /** Names of the fields to keep, in the order they are to have; an empty list keeps none. */
  fields?: string[];
  /** Names of fields to leave out; all others stay in their order. Not together with `fields`. */
  drop?: string[];
  /** New names by old ones: {"POP_EST": "population"}. */
  rename?: Record<string, string>;
}

/** Keeps the fields that `fields` lists, in its order, or all but those that `drop` lists; `rename` gives kept fields other names. Geometries, ids, and the order of features stay. */
export type SelectStep = {
  type: 'select';
  params?: SelectParameters;
} | {
  type: 'select';
  /** Names of the fields to keep, in the order they are to have; an empty list keeps none. */
  fields?: string[];
  /** Names of fields to leave out; all others stay in their order. Not together with `fields`. */
  drop?: string[];
  /** New names by old ones: {"POP_EST": "population"}. */
  rename?: Record<string, string>;
};

/** Parameters of simplify */
export interface SimplifyParameters {
  /** How far the outline may move, in `units`. */
  tolerance: number;
  /** Unit of the length; feet are 0.3048 m, miles 1609.344 m. */
  units: 'meters' | 'kilometers' | 'feet' | 'miles';
  /** Keep every ring and line, and rings from crossing. Without it what is smaller than the tolerance vanishes, and crossing rings are repaired. Default: `true`. */
  preserve_topology?: boolean;
}

/** Leaves out positions of lines and polygons (Douglas-Peucker) as long as the outline stays within a tolerance of what it was, for each feature by itself: polygons that share a border may come apart, which `simplify_coverage` avoids. In a geographic CRS the tolerance is converted by the longest degree there is, so nothing moves farther, but things that point east and west may stay up to twice as fine. Points stay. Attributes, ids and order stay; positions that stay keep their Z, M ends where positions were left out. */
export type SimplifyStep = {
  type: 'simplify';
  params: SimplifyParameters;
} | {
  type: 'simplify';
  /** How far the outline may move, in `units`. */
  tolerance: number;
  /** Unit of the length; feet are 0.3048 m, miles 1609.344 m. */
  units: 'meters' | 'kilometers' | 'feet' | 'miles';
  /** Keep every ring and line, and rings from crossing. Without it what is smaller than the tolerance vanishes, and crossing rings are repaired. Default: `true`. */
  preserve_topology?: boolean;
};

/** Parameters of simplify_coverage */
export interface SimplifyCoverageParameters {
  /** Side of a square, in `units`: a position goes where its triangle has less area than about that. */
  tolerance: number;
  /** Unit of the length; feet are 0.3048 m, miles 1609.344 m. */
  units: 'meters' | 'kilometers' | 'feet' | 'miles';
  /** Leave borders that only one polygon has as they are. Default: `false`. */
  keep_outline?: boolean;
}

/** Simplifies the polygons of a layer that adjoin one another (districts, parcels) all together: a border that two of them share is simplified once, so that neither gaps nor overlaps appear. Positions go by the area of the triangle that they make with their neighbours (Visvalingam-Whyatt). Borders are shared where polygons have the same positions; where they overlap, or one has a position that its neighbour lacks, each is simplified by itself (a valid coverage, in GEOS's words). In a geographic CRS the tolerance is converted by the longest degree there is. Points, lines and collections stay as they are. Attributes, ids and order stay; positions that stay keep their Z, M ends where positions went. Memory: the layer, and its polygons once more in one worker, which works alone. */
export type SimplifyCoverageStep = {
  type: 'simplify_coverage';
  params: SimplifyCoverageParameters;
} | {
  type: 'simplify_coverage';
  /** Side of a square, in `units`: a position goes where its triangle has less area than about that. */
  tolerance: number;
  /** Unit of the length; feet are 0.3048 m, miles 1609.344 m. */
  units: 'meters' | 'kilometers' | 'feet' | 'miles';
  /** Leave borders that only one polygon has as they are. Default: `false`. */
  keep_outline?: boolean;
};

/** Parameters of union */
export interface UnionParameters {
  /** What a field of a merged feature holds, by the name of the field; "*" stands for all fields that are not named. `first` (the default) and `last`: the value of the first or last feature, in input order, that has one; `sum` and `mean` of numbers; `min` and `max` of numbers, texts, dates and times; `count`: features that have a value; `distinct`: the different values as a text, joined by ", ". Features without a value are passed over; where none has one the result is null, and 0 for `count`. */
  aggregate?: Record<string, 'first' | 'last' | 'sum' | 'mean' | 'min' | 'max' | 'count' | 'distinct'>;
}

/** Polygons that overlap or share a border become one feature per connected group; polygons that only meet in a point stay apart, as their union would. Lines become one where they overlap along a stretch or meet end to end, not where they cross; points where they are equal. Polygons, lines and points are merged each among themselves. A feature that merges with no other stays as it is, and so do features without a geometry and collections that hold several kinds, which are counted. A merged feature has the id of its first member in input order that has one, and in each field the first value; `aggregate` says otherwise. The report names every field in which different values became one. Z is kept (where borders cross, it is interpolated), M ends with a merge. Memory: the layer, its result, and for each worker the polygons of one call (150,000 positions, or the outline of the largest group). Work is divided by space, a single large group too. */
export type UnionStep = {
  type: 'union';
  params?: UnionParameters;
} | {
  type: 'union';
  /** What a field of a merged feature holds, by the name of the field; "*" stands for all fields that are not named. `first` (the default) and `last`: the value of the first or last feature, in input order, that has one; `sum` and `mean` of numbers; `min` and `max` of numbers, texts, dates and times; `count`: features that have a value; `distinct`: the different values as a text, joined by ", ". Features without a value are passed over; where none has one the result is null, and 0 for `count`. */
  aggregate?: Record<string, 'first' | 'last' | 'sum' | 'mean' | 'min' | 'max' | 'count' | 'distinct'>;
};

/** One transformation; a list of them is done in its order. */
export type TransformationStep = BufferStep | CentroidStep | ClipStep | ConvexHullStep | DissolveStep | EnvelopeStep | EraseStep | ExplodeStep | FilterStep | MakeValidStep | PointOnSurfaceStep | ReprojectStep | SegmentizeStep | SelectStep | SimplifyStep | SimplifyCoverageStep | UnionStep;

/** Options of geojson output */
export interface GeojsonWriteOptions {
  /** Significant digits of coordinates. Default: as many as the value needs; 15 where coordinates were computed. */
  precision?: number;
  /** Write the bounding box of the collection (RFC 7946 section 5). Default: `false`. */
  bbox?: boolean;
  /** wgs84: always EPSG:4326 (RFC 7946). requested: the requested CRS with a crs member (GeoJSON 2008). Default: `"wgs84"`. */
  geojson_crs?: 'wgs84' | 'requested';
}

/** Options of shp input */
export interface ShpReadOptions {
  /** Text encoding of the .dbf where neither a .cpg nor the .dbf itself states one, e.g. windows-1251. */
  encoding?: string;
}

/** Options of gpkg output */
export interface GpkgWriteOptions {
  /** Whether layers get a spatial index (RTree extension), with which map programs find what is in view. false saves an eighth of the file. Default: `true`. */
  spatial_index?: boolean;
  /** keep: times with an offset other than UTC, and times without a zone, are written as they are, as GDAL does. utc: the standard to the letter; offsets are converted, times without a zone are taken for UTC. Default: `"keep"`. */
  datetimes?: 'keep' | 'utc';
}

/** Options of dxf input */
export interface DxfReadOptions {
  /** Which layouts to read: model space only, or paper spaces as well. Default: `"model"`. */
  layouts?: 'model' | 'all';
  /** explode: an INSERT becomes the entities of its block. points: a point with the name and attributes of the block. Default: `"explode"`. */
  blocks?: 'explode' | 'points';
  /** What closed polylines, circles, ellipses and splines are read as. Default: `"lines"`. */
  closed_polylines?: 'lines' | 'polygons';
  /** Greatest distance in drawing units between a curve and its straight steps, which turn by 4 degrees at most. Default: 1/10000 of the longer side of the extent that the drawing states. */
  curve_tolerance?: number;
  /** Text encoding, where the drawing states a wrong one or none. Default: what it states. */
  encoding?: string;
  /** Give features that geomill wrote the fields of the drawing (Layer, Color, ...) beside their own attributes. Default: `false`. */
  drawing_fields?: boolean;
}

/** Options of dxf output */
export interface DxfWriteOptions {
  /** Significant digits of coordinates. Default: as many as the value needs; 15 where coordinates were computed. */
  precision?: number;
  /** Fill polygons with a solid HATCH below their outlines; false: outlines only. Default: `true`. */
  hatch?: boolean;
  /** Write the attributes and the kind of each feature as XDATA of GEOMILL, so that they can be read back; false: a drawing only. Default: `true`. */
  attributes?: boolean;
  /** Field whose text names a feature's layer. Default: annotation, point, polyline, polygon, multipatch by geometry. */
  layer_field?: string;
  /** Field that holds a feature's colour: #rrggbb or an AutoCAD colour index. Default: the layer's. */
  color_field?: string;
  /** Height in drawing units of texts whose feature has no field TextHeight. Default: 2.5 m on the ground. */
  text_height?: number;
}

/** Options of csv input */
export interface CsvReadOptions {
  /** Name of the column that holds WKT (case sensitive), or its number from 1. Default: `"geom_wkt"`. */
  geometry_column?: string | number;
  /** What separates the columns. Default: a comma, or else the one of the four that lets the header name the geometry column. */
  delimiter?: ',' | ';' | '	' | '|' | 'comma' | 'semicolon' | 'tab' | 'pipe';
  /** false: the first line is data and the columns are called column_1, column_2, ... Default: `true`. */
  has_header?: boolean;
  /** Text encoding by its usual name, such as utf-8, windows-1252 or shift_jis. Default: `"utf-8"`. */
  encoding?: string;
  /** What a ragged row or invalid WKT does: fail the job, or drop the row and count it. Default: `"fail"`. */
  on_error?: 'fail' | 'skip';
}

/** Options of csv output */
export interface CsvWriteOptions {
  /** Significant digits of coordinates. Default: all that are needed, or 15 where they were transformed. */
  precision?: number;
  /** What separates the columns. Default: `","`. */
  delimiter?: ',' | ';' | '	' | '|' | 'comma' | 'semicolon' | 'tab' | 'pipe';
}

/** Longitude, latitude and, where there is one, height in metres. */
export type Position = number[];

/** West, south, east, north; with heights west, south, lowest, east, north, highest. */
export type BoundingBox = number[];

/** A geometry of RFC 7946; an empty one has an empty list of coordinates. */
export type Geometry = {
  type: 'Point';
  coordinates: number[];
  bbox?: BoundingBox;
} | {
  type: 'MultiPoint';
  coordinates: Position[];
  bbox?: BoundingBox;
} | {
  type: 'LineString';
  coordinates: Position[];
  bbox?: BoundingBox;
} | {
  type: 'MultiLineString';
  coordinates: Position[][];
  bbox?: BoundingBox;
} | {
  type: 'Polygon';
  coordinates: Position[][];
  bbox?: BoundingBox;
} | {
  type: 'MultiPolygon';
  coordinates: Position[][][];
  bbox?: BoundingBox;
} | {
  type: 'GeometryCollection';
  geometries: Geometry[];
  bbox?: BoundingBox;
};

export interface Feature {
  type: 'Feature';
  id?: string | number;
  geometry: Geometry | null;
  properties: Record<string, unknown> | null;
  bbox?: BoundingBox;
}

/** GeoJSON (RFC 7946). Coordinates are EPSG:4326 unless the request says otherwise. */
export interface FeatureCollection {
  type: 'FeatureCollection';
  features: Feature[];
  bbox?: BoundingBox;
}

export interface AccessToken {
  /** A signed JWT (RFC 9068). To be treated as a text without a meaning. */
  access_token: string;
  token_type: 'Bearer';
  /** Seconds for which it is good. */
  expires_in: number;
  /** What it is good for, separated by spaces. */
  scope: string;
}

/** An error of OAuth that is a problem, too. */
export interface OAuthError {
  /** A word of RFC 6749, 5.2. */
  error: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope';
  /** The same as `detail`. */
  error_description: string;
  /** Made from the code of the error; does not change. */
  type: string;
  /** The code in words; the same for every occurrence. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** One sentence for a person: what is wrong, where, what to do. */
  detail: string;
  /** Reference under which the cause of a 500 is logged. */
  instance?: string;
  errors?: {
    /** Where in the request, e.g. `input.epsg`. */
    path: string;
    /** What is wrong there. */
    message: string;
  }[];
}

export interface KeySet {
  keys: {
    kty: 'OKP';
    crv: 'Ed25519';
    /** The public key. */
    x: string;
    /** Named by the header of a token. */
    kid: string;
    alg: 'EdDSA';
    use: 'sig';
  }[];
}

export interface AuthorizationServer {
  /** The address of the service. */
  issuer: string;
  token_endpoint: string;
  jwks_uri: string;
  grant_types_supported: string[];
  response_types_supported: string[];
  token_endpoint_auth_methods_supported: string[];
  scopes_supported: string[];
  service_documentation: string;
}

/** Problem details (RFC 9457). */
export interface Problem {
  /** Made from the code of the error; does not change. */
  type: string;
  /** The code in words; the same for every occurrence. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** One sentence for a person: what is wrong, where, what to do. */
  detail: string;
  /** Reference under which the cause of a 500 is logged. */
  instance?: string;
  errors?: {
    /** Where in the request, e.g. `input.epsg`. */
    path: string;
    /** What is wrong there. */
    message: string;
  }[];
}

/** What is done to the features, in this order. */
export type TransformationsField = TransformationStep[];

export type EncodingField = string;

/** Only for dxf. Which layouts to read: model space only, or paper spaces as well. */
export type LayoutsField = 'model' | 'all';

/** Only for dxf. explode: an INSERT becomes the entities of its block. points: a point with the name and attributes of the block. */
export type BlocksField = 'explode' | 'points';

/** Only for dxf. What closed polylines, circles, ellipses and splines are read as. */
export type ClosedPolylinesField = 'lines' | 'polygons';

/** Only for dxf. Greatest distance in drawing units between a curve and its straight steps, which turn by 4 degrees at most. Default: 1/10000 of the longer side of the extent that the drawing states. */
export type CurveToleranceField = number;

/** Only for dxf. Give features that geomill wrote the fields of the drawing (Layer, Color, ...) beside their own attributes. */
export type DrawingFieldsField = boolean;

/** Options for reading csv. */
export interface CsvOptionsField {
  geometry_column?: GeometryColumnField;
  delimiter?: DelimiterField;
  has_header?: HasHeaderField;
  encoding?: Encoding2Field;
  on_error?: OnErrorField;
}

/** Name of the column that holds WKT (case sensitive), or its number from 1. */
export type GeometryColumnField = string | number;

/** What separates the columns. Default: a comma, or else the one of the four that lets the header name the geometry column. */
export type DelimiterField = ',' | ';' | '	' | '|' | 'comma' | 'semicolon' | 'tab' | 'pipe';

/** false: the first line is data and the columns are called column_1, column_2, ... */
export type HasHeaderField = boolean;

/** Text encoding by its usual name, such as utf-8, windows-1252 or shift_jis. */
export type Encoding2Field = string;

/** What a ragged row or invalid WKT does: fail the job, or drop the row and count it. */
export type OnErrorField = 'fail' | 'skip';

export type PrecisionField = number;

/** Only for geojson. Write the bounding box of the collection (RFC 7946 section 5). */
export type BboxField = boolean;

/** Only for geojson. wgs84: always EPSG:4326 (RFC 7946). requested: the requested CRS with a crs member (GeoJSON 2008). */
export type GeojsonCrsField = 'wgs84' | 'requested';

/** Only for gpkg. Whether layers get a spatial index (RTree extension), with which map programs find what is in view. false saves an eighth of the file. */
export type SpatialIndexField = boolean;

/** Only for gpkg. keep: times with an offset other than UTC, and times without a zone, are written as they are, as GDAL does. utc: the standard to the letter; offsets are converted, times without a zone are taken for UTC. */
export type DatetimesField = 'keep' | 'utc';

/** Only for dxf. Fill polygons with a solid HATCH below their outlines; false: outlines only. */
export type HatchField = boolean;

/** Only for dxf. Write the attributes and the kind of each feature as XDATA of GEOMILL, so that they can be read back; false: a drawing only. */
export type AttributesField = boolean;

/** Only for dxf. Field whose text names a feature's layer. Default: annotation, point, polyline, polygon, multipatch by geometry. */
export type LayerFieldField = string;

/** Only for dxf. Field that holds a feature's colour: #rrggbb or an AutoCAD colour index. Default: the layer's. */
export type ColorFieldField = string;

/** Only for dxf. Height in drawing units of texts whose feature has no field TextHeight. Default: 2.5 m on the ground. */
export type TextHeightField = number;

/** Only for csv. What separates the columns. */
export type Delimiter2Field = ',' | ';' | '	' | '|' | 'comma' | 'semicolon' | 'tab' | 'pipe';

/** Name of the layer to read, or a list of names. Default: all. Also called `layer`, `input.layer`, `input.layers`. */
export type InputLayerField = string | string[];

/** Where to fetch the input from, in place of a file; http or https. Only in forms, and from hosts that the operator allows. Also called `input.url`. */
export type InputUrlField = string;

/** Format of the output, in any letter case. Also called `output.format`. */
export type OutputFormatField = 'geojson' | 'shp' | 'gpkg' | 'dxf' | 'csv' | 'shapefile' | 'geopackage';

/** CRS of the output. Default: EPSG:4326. Also called `output_epsg`, `output.epsg`, `output.crs`. */
export type OutputCrsField = string | number;

/** false: the FeatureCollection itself as application/json; only for output formats that are JSON. Also called `output_to_file`, `output.to_file`. */
export type ToFileField = boolean;

/** CRS of the input (of an append: of its target), for files that state none. A file that states another one is refused. Also called `input_epsg`, `input.epsg`, `input.crs`. */
export type InputCrsField = string | number;

/** CRS of the files to append: one for all, or a list as long as they are, in their order; null: the file states it. */
export type AppendCrsMappingField = string | number | (string | number | null)[];

/** CRS of the files to merge: one for all, or a list as long as they are, in their order; null: the file states it. */
export type InputCrsMappingField = string | number | (string | number | null)[];

/** Only for shp. Text encoding of the .dbf where neither a .cpg nor the .dbf itself states one, e.g. windows-1251. */
export type InputEncodingField = string;

/** Only for dxf. Text encoding, where the drawing states a wrong one or none. Default: what it states. */
export type InputEncoding2Field = string;

/** Config of POST /transform. */
export type SubmitJobConfig = {
  transformations?: TransformationsField;
  input: {
    /** Format of the input, in any letter case. Also called `input_format`. */
    format: 'geojson' | 'shp' | 'gpkg' | 'dxf' | 'csv' | 'shapefile' | 'geopackage';
    /** CRS of the input (of an append: of its target), for files that state none. A file that states another one is refused. Required for dxf and csv. Also called `input.crs`, `input_crs`, `input_epsg`. */
    epsg?: string | number;
    /** Name of the layer to read, or a list of names. Default: all. Also called `input.layers`, `input_layer`, `layer`. */
    layer?: string | string[];
    /** Where to fetch the input from, in place of a file; http or https. Only in forms, and from hosts that the operator allows. Also called `input_url`. */
    url?: string;
    encoding?: EncodingField;
    layouts?: LayoutsField;
    blocks?: BlocksField;
    closed_polylines?: ClosedPolylinesField;
    curve_tolerance?: CurveToleranceField;
    drawing_fields?: DrawingFieldsField;
    csv_options?: CsvOptionsField;
  };
  output: {
    /** Format of the output, in any letter case. Also called `output_format`. */
    format: 'geojson' | 'shp' | 'gpkg' | 'dxf' | 'csv' | 'shapefile' | 'geopackage';
    /** CRS of the output. Default: EPSG:4326. Also called `output.crs`, `output_crs`, `output_epsg`. */
    epsg?: string | number;
    /** false: the FeatureCollection itself as application/json; only for output formats that are JSON. Also called `to_file`, `output_to_file`. Default: `true`. */
    to_file?: boolean;
    precision?: PrecisionField;
    bbox?: BboxField;
    geojson_crs?: GeojsonCrsField;
    spatial_index?: SpatialIndexField;
    datetimes?: DatetimesField;
    hatch?: HatchField;
    attributes?: AttributesField;
    layer_field?: LayerFieldField;
    color_field?: ColorFieldField;
    text_height?: TextHeightField;
    delimiter?: Delimiter2Field;
  };
} | {
  /** Format of the input, in any letter case. Also called `input.format`. */
  input_format: 'geojson' | 'shp' | 'gpkg' | 'dxf' | 'csv' | 'shapefile' | 'geopackage';
  /** CRS of the input (of an append: of its target), for files that state none. A file that states another one is refused. Required for dxf and csv. Also called `input_epsg`, `input.epsg`, `input.crs`. */
  input_crs?: string | number;
  input_layer?: InputLayerField;
  input_url?: InputUrlField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  input_encoding?: EncodingField;
  input_layouts?: LayoutsField;
  input_blocks?: BlocksField;
  input_closed_polylines?: ClosedPolylinesField;
  input_curve_tolerance?: CurveToleranceField;
  input_drawing_fields?: DrawingFieldsField;
  csv_options?: CsvOptionsField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
};

/** Config of POST /v1/transform/geojson. */
export interface TransformGeojsonConfig {
  input_crs?: InputCrsField;
  input_layer?: InputLayerField;
  input_url?: InputUrlField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/geojson/append. */
export interface AppendGeojsonConfig {
  input_crs?: InputCrsField;
  append_crs_mapping?: AppendCrsMappingField;
  input_layer?: InputLayerField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/geojson/merge. */
export interface MergeGeojsonConfig {
  input_crs_mapping?: InputCrsMappingField;
  input_layer?: InputLayerField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/shp. */
export interface TransformShpConfig {
  input_crs?: InputCrsField;
  input_layer?: InputLayerField;
  input_url?: InputUrlField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  input_encoding?: InputEncodingField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/shp/append. */
export interface AppendShpConfig {
  input_crs?: InputCrsField;
  append_crs_mapping?: AppendCrsMappingField;
  input_layer?: InputLayerField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  input_encoding?: InputEncodingField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/shp/merge. */
export interface MergeShpConfig {
  input_crs_mapping?: InputCrsMappingField;
  input_layer?: InputLayerField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  input_encoding?: InputEncodingField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/gpkg. */
export interface TransformGpkgConfig {
  input_crs?: InputCrsField;
  input_layer?: InputLayerField;
  input_url?: InputUrlField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/gpkg/append. */
export interface AppendGpkgConfig {
  input_crs?: InputCrsField;
  append_crs_mapping?: AppendCrsMappingField;
  input_layer?: InputLayerField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/gpkg/merge. */
export interface MergeGpkgConfig {
  input_crs_mapping?: InputCrsMappingField;
  input_layer?: InputLayerField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/dxf. */
export interface TransformDxfConfig {
  input_crs: InputCrsField;
  input_layer?: InputLayerField;
  input_url?: InputUrlField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  input_layouts?: LayoutsField;
  input_blocks?: BlocksField;
  input_closed_polylines?: ClosedPolylinesField;
  input_curve_tolerance?: CurveToleranceField;
  input_encoding?: InputEncoding2Field;
  input_drawing_fields?: DrawingFieldsField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/dxf/append. */
export interface AppendDxfConfig {
  input_crs: InputCrsField;
  append_crs_mapping: AppendCrsMappingField;
  input_layer?: InputLayerField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  input_layouts?: LayoutsField;
  input_blocks?: BlocksField;
  input_closed_polylines?: ClosedPolylinesField;
  input_curve_tolerance?: CurveToleranceField;
  input_encoding?: InputEncoding2Field;
  input_drawing_fields?: DrawingFieldsField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/dxf/merge. */
export interface MergeDxfConfig {
  input_crs_mapping: InputCrsMappingField;
  input_layer?: InputLayerField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  input_layouts?: LayoutsField;
  input_blocks?: BlocksField;
  input_closed_polylines?: ClosedPolylinesField;
  input_curve_tolerance?: CurveToleranceField;
  input_encoding?: InputEncoding2Field;
  input_drawing_fields?: DrawingFieldsField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/csv. */
export interface TransformCsvConfig {
  input_crs: InputCrsField;
  input_layer?: InputLayerField;
  input_url?: InputUrlField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  csv_options?: CsvOptionsField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/csv/append. */
export interface AppendCsvConfig {
  input_crs: InputCrsField;
  append_crs_mapping: AppendCrsMappingField;
  input_layer?: InputLayerField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  csv_options?: CsvOptionsField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/transform/csv/merge. */
export interface MergeCsvConfig {
  input_crs_mapping: InputCrsMappingField;
  input_layer?: InputLayerField;
  transformations?: TransformationsField;
  output_format: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  csv_options?: CsvOptionsField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
}

/** Config of POST /v1/inspect. */
export type InspectConfig = {
  transformations?: TransformationsField;
  input: {
    /** Format of the input, in any letter case. Also called `input_format`. */
    format: 'geojson' | 'shp' | 'gpkg' | 'dxf' | 'csv' | 'shapefile' | 'geopackage';
    /** CRS of the input (of an append: of its target), for files that state none. A file that states another one is refused. Required for dxf and csv. Also called `input.crs`, `input_crs`, `input_epsg`. */
    epsg?: string | number;
    /** Name of the layer to read, or a list of names. Default: all. Also called `input.layers`, `input_layer`, `layer`. */
    layer?: string | string[];
    /** Where to fetch the input from, in place of a file; http or https. Only in forms, and from hosts that the operator allows. Also called `input_url`. */
    url?: string;
    encoding?: EncodingField;
    layouts?: LayoutsField;
    blocks?: BlocksField;
    closed_polylines?: ClosedPolylinesField;
    curve_tolerance?: CurveToleranceField;
    drawing_fields?: DrawingFieldsField;
    csv_options?: CsvOptionsField;
  };
  output?: {
    /** Format of the output, in any letter case. Also called `output_format`. */
    format?: 'geojson' | 'shp' | 'gpkg' | 'dxf' | 'csv' | 'shapefile' | 'geopackage';
    /** CRS of the output. Default: EPSG:4326. Also called `output.crs`, `output_crs`, `output_epsg`. */
    epsg?: string | number;
    /** false: the FeatureCollection itself as application/json; only for output formats that are JSON. Also called `to_file`, `output_to_file`. Default: `true`. */
    to_file?: boolean;
    precision?: PrecisionField;
    bbox?: BboxField;
    geojson_crs?: GeojsonCrsField;
    spatial_index?: SpatialIndexField;
    datetimes?: DatetimesField;
    hatch?: HatchField;
    attributes?: AttributesField;
    layer_field?: LayerFieldField;
    color_field?: ColorFieldField;
    text_height?: TextHeightField;
    delimiter?: Delimiter2Field;
  };
} | {
  /** Format of the input, in any letter case. Also called `input.format`. */
  input_format: 'geojson' | 'shp' | 'gpkg' | 'dxf' | 'csv' | 'shapefile' | 'geopackage';
  /** CRS of the input (of an append: of its target), for files that state none. A file that states another one is refused. Required for dxf and csv. Also called `input_epsg`, `input.epsg`, `input.crs`. */
  input_crs?: string | number;
  input_layer?: InputLayerField;
  input_url?: InputUrlField;
  transformations?: TransformationsField;
  output_format?: OutputFormatField;
  output_crs?: OutputCrsField;
  to_file?: ToFileField;
  input_encoding?: EncodingField;
  input_layouts?: LayoutsField;
  input_blocks?: BlocksField;
  input_closed_polylines?: ClosedPolylinesField;
  input_curve_tolerance?: CurveToleranceField;
  input_drawing_fields?: DrawingFieldsField;
  csv_options?: CsvOptionsField;
  output_precision?: PrecisionField;
  output_bbox?: BboxField;
  output_geojson_crs?: GeojsonCrsField;
  output_spatial_index?: SpatialIndexField;
  output_datetimes?: DatetimesField;
  output_hatch?: HatchField;
  output_attributes?: AttributesField;
  output_layer_field?: LayerFieldField;
  output_color_field?: ColorFieldField;
  output_text_height?: TextHeightField;
  output_delimiter?: Delimiter2Field;
};

/** Configs of transform, by the format of the input. */
export interface TransformConfigs {
  geojson: TransformGeojsonConfig;
  shp: TransformShpConfig;
  gpkg: TransformGpkgConfig;
  dxf: TransformDxfConfig;
  csv: TransformCsvConfig;
}

/** Configs of append, by the format of the input. */
export interface AppendConfigs {
  geojson: AppendGeojsonConfig;
  shp: AppendShpConfig;
  gpkg: AppendGpkgConfig;
  dxf: AppendDxfConfig;
  csv: AppendCsvConfig;
}

/** Configs of merge, by the format of the input. */
export interface MergeConfigs {
  geojson: MergeGeojsonConfig;
  shp: MergeShpConfig;
  gpkg: MergeGpkgConfig;
  dxf: MergeDxfConfig;
  csv: MergeCsvConfig;
}
