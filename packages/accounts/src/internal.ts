// @internal: changes in any release.
export { createProviderLinks, type ProviderLinks } from './providers/provider-links.ts'
