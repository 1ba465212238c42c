// @internal: changes in any release.
export { firstPartyClientId } from './refresh/client-binding.ts'
