import fs = require("fs");
export = { read: async () => await fs.promises.readFile("x") };
