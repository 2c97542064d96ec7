/** Degrees, minutes, seconds and hemispheres in columns of their own. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { codes, errorOf, geometries, read } from '../../../test/support/csv-texts.ts';
import { namedAngles } from '../../core/src/geometry/angle-names.ts';

const NAMES = [
  'lat_deg,lat_min,lat_sec,lat_hem,lon_deg,lon_min,lon_sec,lon_hem',
  'LatD,LatM,LatS,NS,LonD,LonM,LonS,EW',
  'LATDEG,LATMIN,LATSEC,LATDIR,LONDEG,LONMIN,LONSEC,LONDIR',
  "Latitude (°),Latitude ('),Latitude (''),N/S,Longitude (°),Longitude ('),Longitude (''),E/W",
  'deg_lat,min_lat,sec_lat,dir_lat,deg_lng,min_lng,sec_lng,dir_lng',
  'Latitude Degrees,Latitude Minutes,Latitude Seconds,Latitude Hemisphere,Longitude Degrees,Longitude Minutes,Longitude Seconds,Longitude Hemisphere',
  'grados_latitud,minutos_latitud,segundos_latitud,ns,grados_longitud,minutos_longitud,segundos_longitud,eo',
  'Breite Grad,Breite Minuten,Breite Sekunden,lat_ref,Länge Grad,Länge Minuten,Länge Sekunden,lon_ref',
];

test('recognises degrees, minutes, seconds and letters by the names of their columns', () => {
  for (const names of NAMES.slice(0, 7))
    assert.deepEqual(
      namedAngles(names.split(',')),
      [
        {
          x: { degrees: 4, minutes: 5, seconds: 6, hemisphere: 7 },
          y: { degrees: 0, minutes: 1, seconds: 2, hemisphere: 3 },
          saysDegrees: true,
        },
      ],
      names,
    );
  for (const names of [
    'lat,lon',
    'lat_min,lat_max,lon_min,lon_max',
    'min,max,s',
    'lat_deg,lon_deg',
    'latency,lonely',
  ])
    assert.deepEqual(namedAngles(names.split(',')), [], names);
});

test('joins degrees, minutes, seconds and letters in columns of their own', async () => {
  for (const names of NAMES) {
    const text = `${names},n\n47,22,15,N,8,33,0,E,a\n33,51,36.5,S,151,12,30,W,b\n,,,,,,,,c\n0,0,30,S,0,30,0,W,d\n`;
    const { rows, source, fields } = await read(text);
    const expected = [
      [8 + 33 / 60, 47 + 22 / 60 + 15 / 3600],
      [-(151 + 12 / 60 + 30 / 3600), -(33 + 51 / 60 + 36.5 / 3600)],
      null,
      [-0.5, -30 / 3600],
    ];
    rows.forEach(({ geometry }, i) => {
      const found = geometry?.match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? null;
      assert.equal(found === null, expected[i] === null, names);
      for (const axis of [0, 1])
        assert.ok(
          Math.abs((found?.[axis] ?? 0) - (expected[i]?.[axis] ?? 0)) < 1e-12,
          `${names} ${geometry}`,
        );
    });
    assert.equal(source.assumedCrs?.crs, 'EPSG:4326', names);
    const kept = fields.map(({ name }) => name);
    // A frame "ref" without its axis is a name like any other.
    assert.ok(kept.at(-1) === 'n' && kept.length === 1, `${names}: ${kept}`);
    assert.ok((await codes(text)).includes('COORDINATE_NOTATION'), names);
  }
});

test('joins minutes with decimals and signed degrees', async () => {
  const text = 'id;lat_deg;lat_min;lon_deg;lon_min\n1;47;22,25;-8;30\n2;-0;30;0;0\n3;12;;8;30\n';
  assert.deepEqual(await geometries(text), [
    'POINT (-8.5 47.37083333333333)',
    'POINT (0 -0.5)',
    'POINT (8.5 12)',
  ]);
  assert.deepEqual(await geometries('lat,lat_min,lon,lon_min\n47,30,8,15\n'), ['POINT (8.25 47.5)']);
});

test('applies letters in columns of their own row by row', async () => {
  const logger =
    'i,LATITUDE,N/S,LONGITUDE,E/W\n1,33.8688,S,151.2093,E\n2,22.9068,S,43.1729,W\n3,-1.5,S,2,E\n4,,,,\n';
  const points = ['POINT (151.2093 -33.8688)', 'POINT (-43.1729 -22.9068)', 'POINT (2 -1.5)', null];
  assert.deepEqual(await geometries(logger), points);
  // Beside the coordinates, whatever their names.
  assert.deepEqual(await geometries(logger.replace('N/S', 'a').replace('E/W', 'b')), points);
  assert.deepEqual(await geometries('a,lat,b,lon\nS,33.5,W,8.5\nNorth,1,east,2\n'), [
    'POINT (-8.5 -33.5)',
    'POINT (2 1)',
  ]);
  const options = { x_column: 'LONGITUDE', y_column: 'LATITUDE' };
  assert.deepEqual(await geometries(logger, options), points);
  assert.ok((await codes(logger, options)).includes('COORDINATE_PARTS_FOUND'));
  const one = 'lat,active,lon\n47.5,S,8.5\n47.5,N,8.5\n';
  assert.match(await errorOf(one), /^CSV_LETTERS_APART .*'active' looks like .*y_hemisphere_column/);
  const kept = await read(one, { x_column: 'lon', y_column: 'lat' });
  assert.equal(kept.rows[0].properties.active, 'S');
  assert.deepEqual(
    await geometries(one, { x_column: 'lon', y_column: 'lat', y_hemisphere_column: 'active' }),
    ['POINT (8.5 -47.5)', 'POINT (8.5 47.5)'],
  );
});

test('options name the parts', async () => {
  const text = 'a,b,c,d,e,f,g,h\n47,30,36,S,8,15,0,W\n';
  const options = {
    ...{ y_column: 'a', y_minutes_column: 'b', y_seconds_column: 'c', y_hemisphere_column: 'd' },
    ...{ x_column: 5, x_minutes_column: 6, x_seconds_column: 7, x_hemisphere_column: 8 },
  };
  assert.deepEqual(await geometries(text, options), ['POINT (-8.25 -47.51)']);
  assert.match(await errorOf(text, { y_minutes_column: 'b' }), /need 'csv_options.x_column'/);
  assert.match(
    await errorOf(text, { ...options, x_minutes_column: 'm' }),
    /^CSV_COLUMN_UNKNOWN 'csv_options.x_minutes_column'/,
  );
});

test('never takes degrees without their minutes', async () => {
  const text = 'lat_deg,lat_min,lon_deg,lon_min\n47,30,8,15\n46,12,7,6\n';
  assert.deepEqual(
    await geometries(text, { x_column: 'lon_deg', y_column: 'lat_deg' }),
    await geometries(text),
  );
  // Minutes of one coordinate only, values beyond 60, and decimals that contradict the minutes.
  for (const [from, to] of [
    ['lon_min', 'remark'],
    [/,30,|,12,/g, ',99,'],
    ['47,', '47.9,'],
  ] as const)
    assert.match(
      await errorOf(text.replaceAll(from, to)),
      /^CSV_ANGLE_PARTS columns '.*x_minutes_column/,
      String(from),
    );
});

test('columns that are only named like minutes stay fields', async () => {
  const repeated = 'lat,lat_min,lon,lon_min\n47.5,30,8.25,15\n';
  assert.deepEqual(await geometries(repeated), ['POINT (8.25 47.5)']);
  const box = 'lat,lon,lat_min,lat_max,lon_min,lon_max\n47,8,46,48,7,9\n';
  assert.match(await errorOf(box), /^CSV_GEOMETRY_AMBIGUOUS .*'lon' \(x\), 'lat' \(y\)/);
});

test('rows with impossible parts are errors with their column', async () => {
  const row = async (cells: string) =>
    errorOf(`lat_deg,lat_min,lat_hem,lon_deg,lon_min,lon_hem\n${'47,30,N,8,15,E\n'.repeat(20)}${cells}\n`);
  for (const [cells, reason] of [
    ['47,60,N,8,15,E', /line 22, column 'lat_min': minutes are numbers from 0/],
    ['47,30,E,8,15,E', /column 'lat_hem': N or S is expected/],
    ['47,30,,8,15,E', /column 'lat_hem': N or S is expected/],
    ['-47,30,N,8,15,E', /column 'lat_hem': a minus sign and the letter contradict/],
    ['47.5,30,N,8,15,E', /column 'lat_deg': degrees with minutes in another column are whole/],
    ['47.9,30,N,8,15,E', /column 'lat_deg': degrees with minutes in another column are whole/],
    [',30,N,8,15,E', /column 'lat_deg': the degrees of the minutes or seconds are missing/],
    ['47,30,N,,,', /column 'lon_deg': one coordinate is missing/],
    ['95,30,N,8,15,E', /column 'lat_deg': with the letter N a value is in degrees, at most 90/],
  ] as const)
    assert.match(await row(cells), reason, cells);
});

test('packed degrees and minutes are refused', async () => {
  const nmea = 'time,lat,ns,lon,ew\n120000,4722.123,N,00833.456,E\n';
  assert.match(await errorOf(nmea), /^CSV_GEOMETRY .*column 'l.*degrees and minutes without a separator/);
  assert.match(await errorOf('lat,lon\n472215.7N,0083300W\n'), /without a separator/);
});
