export { checkOptionNames } from './check-option-names.ts'
export { requireOptions } from './require-options.ts'
