// Uses only syntax that old versions of Node can parse, because it shows an error to their users.

/** Returns an error message if this version of Node is too old to install with, else undefined. */
export const oldNodeMessage = (version) => {
  const [major, minor] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  return 'Node 20.19 or newer is needed to install this project; this is Node ' + version + '.';
};
