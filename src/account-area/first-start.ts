/** The way into a service that has no administrator yet. */
import type { Accounts } from '../accounts/accounts.ts';
import { linkAddress, OneTimeLinks } from './one-time-links.ts';

/** The address of a new link that makes the administrator; null: there is one. Earlier links are no longer good. */
export function setupLink(accounts: Accounts, baseUrl: string): string | null {
  if (accounts.states.activeAdmins() > 0) return null;
  const token = new OneTimeLinks(accounts.database).make({ purpose: 'setup', userId: null }, 'geomill');
  return linkAddress(baseUrl, 'setup', token);
}
