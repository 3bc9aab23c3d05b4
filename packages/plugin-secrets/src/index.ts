// The door of the package: what hides the secrets of a crawl. Names of secrets have a door of their own, which loads none of it.
export { hiddenUrl, secretsCodec } from './codec.ts'
