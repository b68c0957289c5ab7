import { type DomainError, unavailable } from '@chapter/domain';
import { type ClientBase, escapeLiteral } from 'pg';
import { type ConnectionOptions, parametersOf } from './options.ts';
import { sessionSettings } from './session-settings.ts';

/** What every connection must be. */
export interface ConnectionCheck {
  /** Sets the session's settings and checks the server. @throws DomainError `unavailable` when it must not be used. */
  readonly run: (client: ClientBase) => Promise<void>;
  /** Whether a parameter that the server reports means that a checked connection must not be used any more. */
  readonly isViolatedBy: (parameter: string, value: string) => boolean;
}

interface Server {
  readonly is_standby: boolean;
  readonly read_only: string;
  readonly encoding: string;
}

const STANDBY = 'it is a standby, which may not know yet that a user is suspended; connect to the primary';
const READ_ONLY =
  'it is read-only (default_transaction_read_only), and its URL has target_session_attrs=read-write; connect to the primary, reset default_transaction_read_only, or use target_session_attrs=primary';

/** Returns the error for a server that answers but must not be used. `reason` is a clause about "it", the server. */
export const refuseServer = (reason: string): DomainError =>
  unavailable(new Error(`the database server was refused: ${reason}`));

/**
 * Returns the check of connections. It is one statement, because it costs each new connection a round trip. It sets the
 * settings instead of the startup packet, from which poolers drop `options`, or refuse it.
 */
export const makeConnectionCheck = (options: ConnectionOptions): ConnectionCheck => {
  const settings = sessionSettings(options);
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', ${escapeLiteral(value)}, false)`);
  const text = `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') as read_only,
    current_setting('server_encoding') as encoding, ${set.join(', ')}`;
  const needsPrimary = options.allowsStandby !== true;
  const needsWrites = parametersOf(options.url).get('target_session_attrs') === 'read-write';
  const faultOf = ({ is_standby, read_only, encoding }: Server): string | undefined => {
    if (encoding !== 'UTF8')
      return `it is in ${encoding} and must be in UTF8; create the database with encoding 'UTF8' template template0`;
    if (!needsPrimary) return undefined;
    if (is_standby) return STANDBY;
    return needsWrites && read_only === 'on' ? READ_ONLY : undefined;
  };
  return {
    run: async (client) => {
      const [server] = (await client.query<Server & Record<string, unknown>>(text)).rows;
      const fault = server ? faultOf(server) : 'it does not answer what it is';
      if (fault !== undefined) throw refuseServer(fault);
    },
    isViolatedBy: (parameter, value) =>
      parameter === 'in_hot_standby'
        ? needsPrimary && value === 'on'
        : settings[parameter] !== undefined && settings[parameter] !== value,
  };
};
