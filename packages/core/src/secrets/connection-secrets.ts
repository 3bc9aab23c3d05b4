// Which parameters in the URL of a database are secrets, whatever is shown of it.

/**
 * By name: passwords (`sslpassword` opens a private key), and the keys and the secret that log in without one.
 *
 * Source: PostgreSQL 18 documentation §32.1.2.
 */
export const CONNECTION_SECRETS: readonly string[] = [
  'password',
  'sslpassword',
  'scram_client_key',
  'scram_server_key',
  'oauth_client_secret',
]
