// Kept in syntax that old versions of Node can read: it is what tells their users.

/** One sentence for the user whose Node is too old to install with, else undefined. */
export const refusal = (version) => {
  const [major, minor] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  return 'Node 20.19 or newer is needed to install this project; this is Node ' + version + '.';
};
