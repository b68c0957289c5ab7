import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

describe('The API', () => {
  const chapter = useServedChapter();

  it('logs in, refreshes the session and logs out', async () => {
    const login = await chapter.send('POST', '/api/auth/login/', {
      json: { username: ' LEADER ', password: 'leader-secret' },
    });
    expect(login.status).to.equal(200);
    expect(login.body).to.have.all.keys(
      'access_token',
      'token_type',
      'expires_in',
      'refresh_token',
      'refresh_expires_in',
    );
    expect(login.body).to.include({ token_type: 'Bearer', expires_in: 900, refresh_expires_in: 1_209_600 });
    const next = await chapter.send('POST', '/api/auth/tokens/', { json: { refresh_token: login.body.refresh_token } });
    expect(next.status).to.equal(200);
    const headers = { authorization: `Bearer ${next.body.access_token}` };
    expect(await chapter.get('/api/info/', undefined, headers)).to.include({ status: 200 });
    const out = await chapter.send('DELETE', '/api/auth/tokens/', { json: { refresh_token: next.body.refresh_token } });
    expect(out).to.include({ status: 204, text: '' });
    expect(await chapter.get('/api/info/', undefined, headers)).to.include({ status: 401 });
  });

  it('lists the sessions of the caller and ends one', async () => {
    const { admit, get, send } = chapter;
    await admit('sam', ['User']);
    const logIn = async (headers?: Record<string, string>) => {
      const json = { username: 'sam', password: 'sam-secret' };
      const { body } = await send('POST', '/api/auth/login/', { json, ...(headers && { headers }) });
      chapter.world.clock.advance(1);
      return { authorization: `Bearer ${body.access_token}` };
    };
    const created = chapter.world.clock.now();
    const [phone, laptop] = [await logIn(), await logIn({ 'user-agent': 'Laptop/2.0' })];
    const { status, body } = await get('/api/auth/sessions/', undefined, laptop);
    expect(status).to.equal(200);
    const [{ id }, lost] = body;
    expect(id).to.not.equal(lost.id);
    expect(body.map(({ user_agent, current }: Record<string, unknown>) => [user_agent, current])).to.deep.equal([
      ['Laptop/2.0', true],
      [null, false],
    ]);
    expect(lost).to.deep.equal({
      id: lost.id,
      created_at: created,
      refreshed_at: created,
      user_agent: null,
      current: false,
    });
    const path = `/api/auth/sessions/${lost.id.toUpperCase()}`;
    expect(await send('DELETE', `${path}?x=1`, { headers: laptop })).to.include({ status: 422 });
    expect(await send('DELETE', path, { headers: laptop })).to.include({ status: 204, text: '' });
    expect(await send('DELETE', `${path}?x=1`, { headers: laptop })).to.include({ status: 404 });
    expect(await get('/api/info/', undefined, phone)).to.include({ status: 401 });
    expect(await send('DELETE', `/api/auth/sessions/${id}`, { headers: laptop })).to.include({ status: 204 });
    expect(await get('/api/info/', undefined, laptop)).to.include({ status: 401 });
  });

  it('creates a password link, with an empty body or none, by which the user sets a password', async () => {
    const { admit, leader, send } = chapter;
    const { id } = await admit('forgetful', ['User']);
    const path = `/api/users/${id}/password-links/`;
    const first = await send('POST', path, { as: leader });
    expect(first.status).to.equal(201);
    expect(first.body).to.have.all.keys('url', 'token', 'expires_at');
    expect(first.body.url).to.equal(
      `https://members.example.org/password/#username=forgetful&token=${first.body.token}`,
    );
    expect(first.headers).to.not.have.property('location');
    expect(await send('POST', path, { as: leader, json: { hours: 1 } })).to.include({ status: 422 });
    expect(await send('POST', `${path}?x=1`, { as: leader })).to.include({ status: 422 });
    const text = { raw: 'x', headers: { 'content-type': 'text/plain' } };
    expect(await send('POST', path, { as: leader, ...text })).to.include({ status: 415 });
    const { body, status } = await send('POST', path, { as: leader, json: {} });
    expect(status).to.equal(201);
    const redeem = (token: string, headers = {}) =>
      send('POST', '/api/auth/passwords/', { json: { token, password: 'a new secret' }, headers });
    const voided = await redeem(first.body.token);
    expect(voided.body).to.include({ status: 401, code: 'invalid_token' });
    const headers = { authorization: 'Bearer nonsense' };
    expect(await redeem(body.token, headers)).to.include({ status: 204, text: '' });
    const login = { username: 'forgetful', password: 'a new secret' };
    expect(await send('POST', '/api/auth/login/', { json: login })).to.include({ status: 200 });
    const faulty = await send('POST', '/api/auth/passwords/', { json: { token: 7, pasword: 'x' } });
    expect(faulty.body.errors.map(({ field, code }: Record<string, string>) => `${field} ${code}`)).to.have.members([
      'pasword unknown_field',
      'token invalid_type',
      'password required',
    ]);
  });

  it('returns the public keys, the groups and the information about the caller', async () => {
    const keys = await chapter.get('/api/auth/keys/');
    expect(keys.body.keys[0]).to.include({ kid: 'fake' });
    expect(keys.headers['cache-control']).to.equal('public, max-age=300');
    const groups = await chapter.get('/api/auth/groups/', chapter.groupless);
    expect(groups.body.map(({ name }: { name: string }) => name)).to.deep.equal(['Leader', 'Guest', 'User']);
    const info = await chapter.get('/api/info/', chapter.user);
    expect(info.body).to.deep.equal({
      id: chapter.user.id,
      username: 'user',
      division_name: 'North',
      public_ip: '192.0.2.1',
    });
  });

  it('returns all fields of a user in the list and four fields by id', async () => {
    const list = await chapter.get('/api/users/?username=leader', chapter.guest);
    expect(list.body).to.deep.equal({
      results: [
        {
          id: chapter.leader.id,
          username: 'leader',
          email: 'leader@example.org',
          first_name: '',
          last_name: '',
          division: { id: chapter.north.id, name: 'North' },
          groups: ['Leader'],
          birthdate: '1990-05-17',
          is_active: true,
          is_staff: false,
          is_superuser: false,
          date_joined: chapter.leader.dateJoined,
        },
      ],
      next: null,
      previous: null,
    });
    const one = await chapter.get(`/api/users/${chapter.leader.id.toUpperCase()}/`, chapter.guest);
    expect(one.body).to.deep.equal({
      id: chapter.leader.id,
      username: 'leader',
      division: { id: chapter.north.id, name: 'North' },
      birthdate: '1990-05-17',
    });
  });

  it('creates, changes and deletes a user', async () => {
    const { send, leader, north } = chapter;
    const created = await send('POST', '/api/users/', {
      as: leader,
      json: {
        username: 'ada',
        password: 'correct horse',
        first_name: 'Ada',
        birthdate: '1915-12-10',
        division: north.id,
      },
    });
    expect(created.status).to.equal(201);
    expect(created.body).to.include({ username: 'ada', first_name: 'Ada', birthdate: '1915-12-10', email: null });
    expect(created.headers['location']).to.equal(`/api/users/${created.body.id}/`);
    const changed = await send('PATCH', `/api/users/${created.body.id}`, {
      as: leader,
      json: { last_name: 'Lovelace', groups: ['User', 'Guest'] },
      headers: { 'if-match': created.headers['etag'] ?? '' },
    });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.deep.include({ last_name: 'Lovelace', groups: ['Guest', 'User'] });
    expect(changed.headers['etag']).to.not.equal(created.headers['etag']);
    const deleted = await send('DELETE', `/api/users/${created.body.id}`, { as: leader });
    expect(deleted).to.include({ status: 204, text: '' });
    expect(await chapter.get(`/api/users/${created.body.id}/`, leader)).to.include({ status: 404 });
  });

  it('counts the members of a division', async () => {
    const { get, guest, north, groupless } = chapter;
    const path = `/api/divisions/${north.id.toUpperCase()}/statistics/`;
    const { body, headers, status } = await get(path, guest);
    expect(status).to.equal(200);
    const { count } = (await get('/api/users/?count=true', guest)).body;
    expect(body).to.deep.include({ members: count, dormant: { days: 90, members: 0 } });
    expect(body.groups.map(({ name }: { name: string }) => name)).to.deep.equal(['Leader', 'Guest', 'User']);
    expect(body.joined).to.have.length(24);
    expect(headers['cache-control']).to.equal('no-store');
    expect((await get(`${path}?dormant_days=36525`, guest)).body.dormant.days).to.equal(36_525);
    const refused = async (query: string) => faultsOf(await get(`${path}?${query}`, guest));
    expect(await refused('dormant_days=0')).to.deep.equal(['dormant_days out_of_range']);
    expect(await refused('dormant_days=36526')).to.deep.equal(['dormant_days out_of_range']);
    expect(await refused('dormant_days=')).to.deep.equal(['dormant_days invalid_type']);
    expect(await refused('dormant_days=1&dormant_days=1')).to.deep.equal(['dormant_days duplicate']);
    expect(await refused('dormant_day=1.5&dormant_days=1e3')).to.have.members([
      'dormant_day unknown_parameter',
      'dormant_days invalid_type',
    ]);
    expect(await get(`${path}?dormant_days=x`, groupless)).to.include({ status: 403 });
  });

  it('lists, returns and changes divisions, and lists their users', async () => {
    const { send, get, leader, admin, north } = chapter;
    const list = await get('/api/divisions/?count=true', admin);
    expect(list.body.count).to.equal(2);
    expect(list.body.results[0]).to.deep.equal({ id: north.id, name: 'North', logo: null, fanpage: null });
    const patched = await send('PATCH', `/api/divisions/${north.id}`, {
      as: leader,
      json: { logo: 'https://example.org/logo.png' },
      headers: { 'content-type': 'application/merge-patch+json; charset=UTF-8' },
    });
    expect(patched.body).to.deep.equal({ ...list.body.results[0], logo: 'https://example.org/logo.png' });
    const one = await get(`/api/divisions/${north.id}/`, chapter.guest);
    expect(one.body).to.deep.equal(patched.body);
    expect(one.headers['etag']).to.equal(patched.headers['etag']);
    const users = await get(`/api/division/${north.id}/users/?search=LEAD`, leader);
    expect(users.body.results).to.deep.equal([{ id: leader.id, username: 'leader' }]);
  });
});
