// Header fields whose values are secret wherever they come from.

/** Fields by which a client says who it is (RFC 9110 §11, RFC 6265). In lower case. */
export const SECRET_FIELDS: readonly string[] = ['authorization', 'cookie', 'proxy-authorization']
