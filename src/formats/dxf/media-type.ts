/** RFC 3302's tree has it under image; browsers and CAD programs know no other registered name. */
export const MEDIA_TYPE = 'image/vnd.dxf';
