export { createSocketHandler } from './subscriptions/sockets/create-socket-handler.ts'
export type { SocketHandler } from './subscriptions/sockets/socket-handler.ts'
