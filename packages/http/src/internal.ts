// @internal: changes in any release.

export { parseIpAddress } from './addresses/ip-address.ts'
export { createIpRanges } from './addresses/ip-range.ts'
export { createRequestIds, type RequestIds } from './addresses/request-ids.ts'
export { createCorsFinder } from './cors-finder.ts'
export type { CredentialRequest } from './credentials/identity-reader.ts'
export { readCookies } from './headers/cookie-header.ts'
export { isProduction } from './is-production.ts'
export { createResponseHeaders, type ResponseHeaders } from './response-headers.ts'
