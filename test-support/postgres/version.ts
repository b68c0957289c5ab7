import { query } from '../query.ts';

/** What the server at an address is: `PostgreSQL 18.4`. */
export const versionOf = async (url: string): Promise<string> => {
  const [row] = await query(url, 'show server_version');
  return `PostgreSQL ${String(row?.['server_version']).split(' ')[0]}`;
};
