import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Actor, type Decision, type DivisionId, isInScope } from '@chapter/domain';
import { explain, scope } from './policy.ts';
import { makeAuthenticate, type VerificationSettings } from './tokens.ts';

interface CalendarEvent {
  readonly id: string;
  readonly name: string;
  readonly divisionId: DivisionId | null;
}

interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

const STATUS = { allowed: 200, unauthenticated: 401, forbidden: 403, not_found: 404 } as const;

const refuse = ({ outcome, reason }: Decision): Reply => ({
  status: STATUS[outcome],
  // Only a caller who may know of the event learns the reason.
  ...(outcome === 'forbidden' ? { body: { detail: reason } } : {}),
});

/** The operations of the API, on events that are kept in memory. */
const makeEvents = () => {
  const events = new Map<string, CalendarEvent>();
  return {
    list: (actor: Actor | null): Reply => {
      if (!actor) return { status: 401 };
      const readable = scope(actor, 'readEvent');
      return {
        status: 200,
        body: [...events.values()].filter(({ divisionId }) => isInScope(readable, { divisionId })),
      };
    },
    create: (actor: Actor | null, name: string | null): Reply => {
      const divisionId = actor?.divisionId ?? null;
      const decision = explain(actor, 'createEvent', { divisionId });
      if (decision.outcome !== 'allowed') return refuse(decision);
      if (!name) return { status: 422, body: { detail: 'the parameter name is missing' } };
      const event = { id: randomUUID(), name, divisionId };
      events.set(event.id, event);
      return { status: 201, body: event };
    },
    cancel: (actor: Actor | null, id: string): Reply => {
      const decision = explain(actor, 'cancelEvent', events.get(id) ?? null);
      if (decision.outcome !== 'allowed') return refuse(decision);
      events.delete(id);
      return { status: 204 };
    },
  };
};

/** Makes an HTTP server for the events of divisions: `GET /events/`, `POST /events/?name=…` and `DELETE /events/{id}`. */
export const makeEventServer = (settings: VerificationSettings): Server => {
  const authenticate = makeAuthenticate(settings);
  const events = makeEvents();

  const answer = ({ method, url = '' }: IncomingMessage, actor: Actor | null): Reply => {
    const { pathname, searchParams } = URL.parse(url, 'http://localhost') ?? new URL('http://localhost');
    const id = /^\/events\/([^/]*)$/.exec(pathname)?.[1];
    if (id === '' && method === 'GET') return events.list(actor);
    if (id === '' && method === 'POST') return events.create(actor, searchParams.get('name'));
    if (id && method === 'DELETE') return events.cancel(actor, id);
    return { status: 404 };
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const authorization = authenticate(request.headers.authorization);
    const { status, body } = await authorization.then(
      (actor) => answer(request, actor),
      (): Reply => ({ status: 503, body: { detail: 'the keys of access tokens cannot be fetched' } }),
    );
    if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(body && JSON.stringify(body));
  };

  return createServer((request, response) => void respond(request, response));
};

if (import.meta.main) {
  const { CHAPTER_URL, JWT_ISSUER, JWT_AUDIENCE, PORT } = process.env;
  const server = makeEventServer({
    chapterUrl: CHAPTER_URL ?? 'http://localhost:3000',
    issuer: JWT_ISSUER ?? 'chapter-membership-service',
    audience: JWT_AUDIENCE ?? 'chapter-membership-service',
  });
  const port = Number(PORT ?? 4000);
  server.listen(port, '127.0.0.1', () => console.log(`Events are at http://localhost:${port}/events/`));
}
