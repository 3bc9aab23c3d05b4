// Requests that sites can check: signed with the key of the crawler, after Web Bot Auth.
export { signature, type SignatureOptions } from './signature.ts'
