export {
  createSocketHandler,
  type SocketHandler,
  type SocketHandlerOptions,
  type SubscriptionSocket,
} from './subscriptions/sockets/create-socket-handler.ts'
