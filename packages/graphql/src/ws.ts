export { createSocketHandler, type SocketHandler } from './subscriptions/sockets/create-socket-handler.ts'
export type { SubscriptionSocket } from './subscriptions/sockets/subscription-socket.ts'
