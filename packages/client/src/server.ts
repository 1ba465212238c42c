export { createServerAuth } from './server/create-server-auth.ts'
