export { createEnvSecrets, type EnvSecretsOptions } from './node/env-secrets.ts'
export { createFileMailer, type FileMailerOptions } from './node/file-mailer.ts'
export { createFileSecrets, type FileSecretsOptions } from './node/file-secrets.ts'
export { type BoundAddress, type Listener, type ListenOptions, listen } from './node/listen.ts'
