console.error('There is nothing to serve yet.');
process.exitCode = 1;
