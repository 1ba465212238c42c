export { createSoftwareAuthenticator, type SoftwareAuthenticator } from './testing/software-authenticator.ts'
