export { checkOptionNames } from './check-option-names.ts'
