// Parameters that the URL of a store may have: `crawl`, those of libpq, and those of the driver.
//
// What libpq has and the driver passes over is accepted: the same URL is used with psql.
// Source: PostgreSQL 18 documentation §32.1.2; `connection-parameters.js` and `client.js` of pg 8.23, and pg-connection-string.

const LIBPQ =
  'host hostaddr port dbname user password passfile require_auth channel_binding connect_timeout client_encoding options application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout replication gssencmode sslmode requiressl sslnegotiation sslcompression sslcert sslkey sslkeylogfile sslpassword sslcertmode sslrootcert sslcrl sslcrldir sslsni requirepeer ssl_min_protocol_version ssl_max_protocol_version min_protocol_version max_protocol_version krbsrvname gsslib gssdelegation service servicefile target_session_attrs load_balance_hosts scram_client_key scram_server_key oauth_issuer oauth_client_id oauth_client_secret oauth_scope'

const DRIVER =
  'ssl uselibpqcompat encoding db database statement_timeout query_timeout lock_timeout idle_in_transaction_session_timeout keepAlive keepAliveInitialDelayMillis'

/** By name. */
export const PARAMETERS: readonly string[] = ['crawl', ...LIBPQ.split(' '), ...DRIVER.split(' ')]
