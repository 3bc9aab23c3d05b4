// Rules of options, for those who check what users write.
export * from '../values/options.ts'
export { HEADERS_RULE as headers, isFieldValue } from '../values/header-names.ts'
export { isSessionName } from '../ports/identity.ts'
