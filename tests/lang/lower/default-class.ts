export default class Handler { async run() { await 1; } }
