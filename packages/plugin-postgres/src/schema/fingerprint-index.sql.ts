// The index of known URLs. Fingerprints are random, so a load makes it at its end, in one go.

/** Makes it. */
export const FINGERPRINT_INDEX = 'CREATE UNIQUE INDEX request_fingerprint ON {S}.request (fingerprint)'
