// @internal: changes in any release.
export { type ListedKey, listKeys } from './rings/list-keys.ts'
