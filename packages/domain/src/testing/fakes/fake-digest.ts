/** Returns 64 hexadecimal digits for a text, in the format of SHA-256 but not secure: eight FNV-1a hashes of 32 bits. */
export const fakeDigest = (text: string): string =>
  Array.from({ length: 8 }, (_, seed) => {
    let hash = 0x811c9dc5 ^ seed;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, '0');
  }).join('');
