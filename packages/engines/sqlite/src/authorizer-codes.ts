/** Codes of actions that an authorizer gets, and its answers (sqlite3.h). */

export const ACTION = {
  pragma: 19,
  read: 20,
  select: 21,
  attach: 24,
  detach: 25,
  createVirtualTable: 29,
  function: 31,
  recursive: 33,
} as const;

export const ALLOW = 0;
export const DENY = 1;
