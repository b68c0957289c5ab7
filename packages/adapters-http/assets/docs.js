// Runs in the browser before Swagger UI: follows the colour scheme, and defines the plugin that the page's options name.

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches);
darkScheme.addEventListener('change', followScheme);
followScheme();

/** The parent of /api/docs/ as this page reaches it. The policy of the page allows no other host. */
const ownServer = new URL('../..', location.href).href.replace(/\/$/, '');

const SECURITY_SCHEME = 'accessToken';

/** Authorizes all further requests after a login or a refresh. */
const authorizeBy = ({ ok, body }, { authActions, specSelectors }) => {
  if (!ok || !body?.access_token) return;
  const schema = specSelectors.specJson().getIn(['components', 'securitySchemes', SECURITY_SCHEME]).toJS();
  authActions.authorizeWithPersistOption({
    [SECURITY_SCHEME]: { name: SECURITY_SCHEME, schema, value: body.access_token },
  });
};

/**
 * Shows the default of a query parameter as text. Swagger UI would send it as if the reader had entered it, and a list as CSV
 * accepts no page size.
 */
const describeDefault = (parameter) => {
  if (parameter.in !== 'query' || parameter.schema?.default === undefined) return parameter;
  const { default: value, ...schema } = parameter.schema;
  return { ...parameter, schema, description: `${parameter.description} Default: ${value}.` };
};
/** Offers the media types that the document keeps from generated clients. */
const withMoreContent = ({ 'x-content': more, ...response }) =>
  more ? { ...response, content: { ...response.content, ...more } } : response;
const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
const adaptOperation = (operation) => ({
  ...operation,
  parameters: operation.parameters.map(describeDefault),
  responses: mapValues(operation.responses, withMoreContent),
});
const adaptPaths = (paths) => mapValues(paths, (operations) => mapValues(operations, adaptOperation));

const UNFOLDED = new Set(['search', 'ordering', 'page_size', 'cursor', 'count', 'spreadsheet']);
const isFilter = (parameter) => parameter.get('in') === 'query' && !UNFOLDED.has(parameter.get('name'));
// Last in the document, so it belongs after the filters, and few readers set it.
const isRequestId = (parameter) => parameter.get('in') === 'header' && parameter.get('name') === 'X-Request-Id';
const isFoldedParameter = (parameter) => isFilter(parameter) || isRequestId(parameter);
const titleOfParameters = (folded) => {
  const filters = folded.filter(isFilter).size;
  return filters > 0 ? `${filters} filters and X-Request-Id` : 'X-Request-Id';
};
const isError = (_response, status) => /^[45d]/.test(status);

/**
 * Wraps a component so that those of its entries that `isFolded` selects are hidden until the reader opens them. Until then
 * they are not rendered either: dozens of inputs would slow every change of the page down.
 */
const fold =
  (entries, isFolded, titleOf, propsOfFolded = {}) =>
  (Original, { React: { createElement, Fragment, useState } }) =>
  (props) => {
    const [isOpen, setIsOpen] = useState(false);
    const folded = props[entries].filter(isFolded);
    if (folded.size === 0) return createElement(Original, props);
    return createElement(
      Fragment,
      null,
      createElement(Original, { ...props, [entries]: props[entries].filterNot(isFolded) }),
      createElement(
        'details',
        { className: `folded folded-${entries}`, onToggle: ({ currentTarget }) => setIsOpen(currentTarget.open) },
        createElement('summary', null, titleOf(folded)),
        isOpen && createElement(Original, { ...props, ...propsOfFolded, [entries]: folded }),
      ),
    );
  };

window.ChapterDocsPlugin = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (original) => (json) =>
          original({ ...json, servers: [{ url: ownServer }], paths: adaptPaths(json.paths ?? {}) }),
        setResponse: (original, system) => (path, method, response) => {
          authorizeBy(response, system);
          return original(path, method, response);
        },
      },
    },
  },
  wrapComponents: {
    parameters: fold('parameters', isFoldedParameter, titleOfParameters),
    // The response of a request is shown once, by the part that is not folded.
    responses: fold('responses', isError, (errors) => `Errors: ${[...errors.keys()].join(', ')}`, {
      tryItOutResponse: undefined,
    }),
  },
});
