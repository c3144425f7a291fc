export default async function (req) { return await handle(req); }
