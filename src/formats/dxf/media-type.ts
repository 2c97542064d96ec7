/** The name that IANA's registry has for DXF. */
export const MEDIA_TYPE = 'image/vnd.dxf';
