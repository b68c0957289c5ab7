// Runs on the page of a password link, whose fragment has the username and the token.

const form = document.querySelector('form');
const button = form.querySelector('button');
const message = document.querySelector('#message');
const { username, password, show } = form.elements;

const link = new URLSearchParams(location.hash.slice(1));
const token = link.get('token');
// Neither the history nor a bookmark keeps the token. Another link in the same tab changes only the fragment.
history.replaceState(null, '', location.pathname);
addEventListener('hashchange', () => location.reload());

/** Shows a sentence, and the form unless nothing is left to do on this page. */
const say = (text, isFinal) => {
  message.textContent = text;
  form.hidden = isFinal;
  (isFinal ? message : password).focus();
};

/** Shows or hides the password. */
const reveal = (isShown) => {
  show.checked = isShown;
  password.type = isShown ? 'text' : 'password';
};

/** Returns in words how long a response asks to wait. */
const waitOf = ({ headers }) => {
  const seconds = Number(headers.get('Retry-After'));
  if (!(seconds > 0)) return 'later';
  return seconds > 90 ? `in ${Math.ceil(seconds / 60)} minutes` : `in ${seconds} second${seconds === 1 ? '' : 's'}`;
};

/** Returns what a refusal means if the link may work later, or with another password. */
const readRefusal = async (response) => {
  const { headers, status } = response;
  if (status === 429) return `There were too many attempts. Try again ${waitOf(response)}.`;
  if ([502, 503, 504].includes(status)) return `The service is busy. Try again ${waitOf(response)}.`;
  const problem = await response.json().catch(() => null);
  const fault = Array.from(problem?.errors ?? []).find(({ field }) => field === 'password');
  if (fault) {
    password.ariaInvalid = 'true';
    return `The password ${fault.detail}.`;
  }
  // The response of a proxy has no request id.
  const request = headers.has('X-Request-Id') ? `, request ${headers.get('X-Request-Id')}` : '';
  return `The service reports an error (${status}${request}). Try again later.`;
};

/** Sends the password. The address is relative, because a proxy may serve the page below a path. */
const send = () =>
  fetch('../api/auth/passwords/', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token, password: password.value }),
    credentials: 'omit',
    signal: AbortSignal.timeout(30_000),
  });

const setPassword = async () => {
  const response = await send().catch(() => null);
  if (!response) return say('There was no response. Check your connection, then try again.', false);
  if (response.status === 401) {
    return say('This link has expired, or was used or replaced. If you cannot log in, ask for a new link.', true);
  }
  if (response.status !== 204) return say(await readRefusal(response), false);
  password.value = '';
  return say(
    'Your password is set, and all earlier logins have ended. You can close this page, and log in with the new password.',
    true,
  );
};

show.addEventListener('change', () => reveal(show.checked));

form.addEventListener('submit', (event) => {
  event.preventDefault();
  // While it is disabled, the browser does not submit the form again.
  button.disabled = true;
  message.textContent = 'Sending …';
  // Browsers may remember what was entered into a field that shows it.
  reveal(false);
  password.ariaInvalid = 'false';
  void setPassword().finally(() => {
    button.disabled = false;
  });
});

username.value = link.get('username');
username.parentElement.hidden = !link.has('username');
if (token) say('', false);
else say('Open the link that you received again: this page forgets it when it is left or reloaded.', true);
