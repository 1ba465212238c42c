// @internal: changes in any release.
export { readCookies } from './headers/cookie-header.ts'
