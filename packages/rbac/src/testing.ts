export { describeRoleStore, type RoleStoreKit } from './testing/describe-role-store.ts'
