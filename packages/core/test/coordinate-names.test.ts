import assert from 'node:assert/strict';
import test from 'node:test';
import { namedPairs, namedPoints } from '../src/geometry/coordinate-names.ts';

const pairsOf = (names: string): string =>
  namedPairs(names.split(','))
    .map(({ x, y, z }) => (z < 0 ? `${x} ${y}` : `${x} ${y} ${z}`))
    .join('; ');

test('recognises pairs of coordinates in the usual languages and spellings', () => {
  for (const names of [
    'lon,lat', 'LONGITUDE,Latitude', 'lng,lat', 'long,lat', 'X,Y', 'Easting,Northing', 'east,north', 'E,N', 'E [m],N [m]',
    'Rechtswert,Hochwert', 'Ost,Nord', 'Längengrad,Breitengrad', 'este,norte', 'longitud,latitud', 'oost,noord',
    'stop_lon,stop_lat', 'INTPTLONG,INTPTLAT', 'Xlongitude,Ylatitude', 'decimalLongitude,decimalLatitude',
    'GPSLongitude,GPSLatitude', 'POINT_X,POINT_Y', 'xcoord,ycoord', 'coord_x,coord_y', 'x_coord,y_coord', 'XCoord,YCoord',
    'X-Koordinate,Y-Koordinate', 'E_LV95,N_LV95', 'Swiss-East,Swiss-North', 'utm_easting,utm_northing', 'x_25832,y_25832',
    'Longitude (deg),Latitude (deg)', 'Longitude E/W,Latitude N/S', 'X_L93,Y_L93',
  ]) // biome-ignore format: a list
    assert.equal(pairsOf(names), '0 1', names);
  assert.equal(pairsOf('x,y,z'), '0 1 2');
  assert.equal(pairsOf('lon,lat,z'), '0 1 2');
  assert.equal(pairsOf('x,y,height'), '0 1');
});

test('recognises no pair in names that mean something else', () => {
  for (const names of [
    'lat', 'lat,x', 'lon,northing', 'north,south,east,west', 'velocity_x,velocity_y', 'x1,y1,x2,y2', 'min_x,min_y',
    'lat_n,long_w', 'latency,longest', 'flat,plat', 'sales_east,sales_north', 'LatLongAccuracy,LatLongSource', 'start_lat,end_lon',
  ]) // biome-ignore format: a list
    assert.equal(pairsOf(names), '', names);
});

test('returns every pair that is possible', () => {
  assert.equal(pairsOf('x,y,lon,lat'), '0 1; 2 3');
  assert.equal(pairsOf('start_lat,start_lon,end_lat,end_lon'), '1 0; 3 2');
  assert.equal(pairsOf('lat,latitude,lon'), '2 0; 2 1');
});

test('takes names that are widths and lengths as well only as angles', () => {
  assert.deepEqual(namedPairs(['Länge', 'Breite']), [
    { x: 0, y: 1, z: -1, isGeographic: true, needsAngles: true, letterO: 'E' },
  ]);
});

test('recognises columns with both coordinates by an order in the name', () => {
  const orders = {
    lat_lon: 'lat_lon',
    LatLng: 'lat_lon',
    latlong: 'lat_lon',
    'lon/lat': 'lon_lat',
    'longitude, latitude': 'lon_lat',
  };
  for (const [name, order] of Object.entries(orders))
    assert.deepEqual(namedPoints(['id', name]), [{ index: 1, order }], name);
  for (const name of ['position', 'LatLongAccuracy', 'lat', 'coordinates'])
    assert.deepEqual(namedPoints([name]), []);
});
